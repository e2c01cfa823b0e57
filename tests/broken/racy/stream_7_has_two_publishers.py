"""Whether a publisher is at work is looked up before the lock is taken, so that two start and overtake one another."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.crew import crew
from agent_run.stream import Events as RightEvents

__all__ = ["Run", "events"]

BREAKS = ("STREAM-7", "STREAM-11", "STREAM-4", "EMIT-9", "STREAM-6", "FINISH-3", "STREAM-12")


class Events(RightEvents):
    def _wake(self) -> None:
        if self._publishing or not self._mailbox or not self._taps:
            return
        with self._lock:
            self._publishing = True
        crew.start(self._publish)


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Events(self._lock)
