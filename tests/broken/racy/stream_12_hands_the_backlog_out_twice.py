"""The first tap counts the backlog in one step and copies it in another; what came between is handed out twice."""

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
        if self._taps or self._over:
            return super().tap(on_event, on_done, on_quit)
        with self._lock:
            counted = len(self._mailbox)
        with self._lock:
            copied = [*self._mailbox]
            self._mailbox = deque([*copied, *copied[counted:]])
        return super().tap(on_event, on_done, on_quit)


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Events(self._lock)
