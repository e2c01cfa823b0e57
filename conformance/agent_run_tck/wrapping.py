"""The adapter for a module that uses the reference's names, so that `--impl=mymodule` needs no adapter at all."""

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from agent_run_tck.index import taxonomy


class WrappedRun:
    """A run of the module as a handle: `tap` sits on its `events`, everything else has the handle's names already."""

    def __init__(self, run: Any) -> None:
        self._run = run

    def tap(self, *callbacks: Callable[..., object]) -> Any:
        return self._run.events.tap(*callbacks)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run, name)


class ModuleAdapter:
    """Wraps a module with `Run` and the event classes, bare or in its submodule `events`."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._classes = getattr(module, "events", module)
        self.name = module.__name__
        self.version = str(getattr(module, "__version__", ""))
        self.capabilities = getattr(module, "capabilities", {})

    def create_run(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> WrappedRun:
        return WrappedRun(self._module.Run(run_id, on_cancel))

    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Any:
        event_class = getattr(self._classes, taxonomy()[kind]["class"])
        return event_class(**{name.replace("-", "_"): value for name, value in payload.items()})

    def plain(self, event: Any) -> dict[str, Any]:
        return dict(event.plain())
