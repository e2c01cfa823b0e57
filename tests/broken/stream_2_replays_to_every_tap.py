"""Every tap gets the run from its beginning, as long as another one listens."""

import threading
from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event
from agent_run.stream import Callback, Tap
from agent_run.stream import Events as RightEvents

__all__ = ["Run", "events"]

BREAKS = ("STREAM-2",)
SAYS = "must be handed just token, run-completed, done"


class Events(RightEvents):
    def __init__(self, lock: threading.Lock) -> None:
        super().__init__(lock)
        self._published: list[Event] = []

    def tap(self, on_event: Callback, on_done: Callback | None = None, on_quit: Callback | None = None) -> Tap:
        if self._taps and not self._over:
            for event in list(self._published):
                on_event(event)
        return super().tap(on_event, on_done, on_quit)

    def _take(self) -> tuple[Event, tuple[Tap, ...]] | None:
        work = super()._take()
        if work is not None:
            self._published.append(work[0])
        return work


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Events(self._lock)
