"""The first tap copies the backlog in one step and puts it back when it registers: what came between is lost."""

from collections import deque
from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.stream import Callback, Tap
from agent_run.stream import Events as RightEvents

__all__ = ["Run", "events"]

BREAKS = ("STREAM-12",)


class Events(RightEvents):
    def tap(self, on_event: Callback, on_done: Callback | None = None, on_quit: Callback | None = None) -> Tap:
        if self._taps:
            return super().tap(on_event, on_done, on_quit)
        with self._lock:
            backlog = deque(self._mailbox)
        tap = Tap(self, on_event, on_done)
        with self._lock:
            if not self._over:
                self._mailbox = backlog
                self._taps += (tap,)
        self._wake()
        return tap


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Events(self._lock)
