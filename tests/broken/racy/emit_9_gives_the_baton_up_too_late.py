"""The publisher sees the mailbox empty, lets go of the lock and only then of the baton: what comes between waits."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event
from agent_run.stream import Events as RightEvents
from agent_run.stream import Tap

__all__ = ["Run", "events"]

BREAKS = ("EMIT-9", "STREAM-6", "STREAM-12")


class Events(RightEvents):
    def _take(self) -> tuple[Event, tuple[Tap, ...]] | None:
        with self._lock:
            idle = not self._mailbox or not self._taps
        if idle:
            self._publishing = False
            return None
        return super()._take()


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Events(self._lock)
