"""Each event is delivered from inside the delivery of the one before."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.stream import Events as RightEvents

__all__ = ["Run", "events"]

BREAKS = ("STREAM-17",)
SAYS = "events and done"


class Events(RightEvents):
    def _publish(self) -> None:
        work = self._take()
        if work is None:
            return
        event, audience = work
        for tap in audience:
            tap._call(tap._on_event, event)
        for tap in audience if event.is_terminal else ():
            tap._call(tap._on_done)
        self._publish()


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Events(self._lock)
