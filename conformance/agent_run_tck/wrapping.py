"""The adapter for a module that uses the reference's names, so that `--impl=mymodule` needs no adapter at all."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import ModuleType
from typing import Any

from agent_run_tck.index import taxonomy

ENVELOPE = frozenset({"kind", "ts", "run-id", "seq"})


class WrappedRun:
    """A run of the module as a handle: `tap` sits on its `events`, everything else has the handle's names already."""

    def __init__(self, run: Any) -> None:
        self._run = run

    def tap(self, *callbacks: Callable[..., object]) -> Any:
        return self._run.events.tap(*callbacks)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run, name)


class ModuleAdapter:
    """Wraps a module with `Run` and the event classes, bare or in its submodule `events`.

    With all of the classes it claims profile `events`, and with a class `Renderer` profile `consumer`, unless the
    module's own `capabilities` say otherwise.
    """

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._classes = getattr(module, "events", module)
        self.name = module.__name__
        self.version = str(getattr(module, "__version__", ""))
        self.event_module = getattr(self._classes, "__name__", module.__name__)

    @property
    def capabilities(self) -> Mapping[str, Any]:
        found = {**self._found(), "consumer": hasattr(self._module, "Renderer")}
        return {**found, **getattr(self._module, "capabilities", {})}

    def create_run(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> WrappedRun:
        return WrappedRun(self._module.Run(run_id, on_cancel))

    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Any:
        return self._made(kind, payload)

    def make_event_at(self, kind: str, payload: Mapping[str, Any], ts: datetime) -> Any:
        return self._made(kind, payload, ts=ts)

    def plain(self, event: Any) -> dict[str, Any]:
        return dict(event.plain())

    def render(self, events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        renderer = self._module.Renderer()
        for event in events:
            renderer.take(event)
        return dict(renderer.view())

    def _made(self, kind: str, payload: Mapping[str, Any], **envelope: Any) -> Any:
        if taken := ENVELOPE.intersection(payload):  # as keywords they would not be payload any more
            raise TypeError(f"{kind} has no field {', '.join(sorted(taken))}; the envelope is not for a payload to set")
        return self._class_of(kind)(**{name.replace("-", "_"): value for name, value in payload.items()}, **envelope)

    def _class_of(self, kind: str) -> Any:
        return getattr(self._classes, taxonomy()[kind]["class"])

    def _found(self) -> dict[str, bool]:
        """What the names in the module say of its capabilities."""
        if not all(hasattr(self._classes, each["class"]) for each in taxonomy().values()):
            return {}
        given_ts = "ts" in inspect.signature(self._class_of("log")).parameters
        return {"events": True, "star_import": True, "given_ts": given_ts}
