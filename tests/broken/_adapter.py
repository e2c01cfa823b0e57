"""The reference as an adapter with all that profile `events` may ask for, for those that break how events are made."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from agent_run import Run, events


class TappedRun(Run):
    """A run whose stream is tapped at the run itself."""

    def tap(self, *callbacks: Callable[..., object]) -> Any:
        return self.events.tap(*callbacks)


class Adapter:
    capabilities = {"events": True, "given_ts": True, "star_import": True}
    event_module = "agent_run.events"
    run_class: type[Any] = TappedRun

    def create_run(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> Any:
        return self.run_class(run_id, on_cancel)

    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Any:
        return events.make(kind, dict(payload))

    def make_event_at(self, kind: str, payload: Mapping[str, Any], ts: datetime) -> Any:
        return events.make(kind, dict(payload), ts)

    def plain(self, event: Any) -> dict[str, Any]:
        return dict(event.plain())
