"""Whoever taps a stream that is over gets done, so as not to wait for it."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.stream import Callback, Tap
from agent_run.stream import Events as RightEvents

__all__ = ["Run", "events"]

BREAKS = ("STREAM-3",)
SAYS = "a tap made after done is handed anything"


class Events(RightEvents):
    def tap(self, on_event: Callback, on_done: Callback | None = None, on_quit: Callback | None = None) -> Tap:
        tap = super().tap(on_event, on_done, on_quit)
        if self._over and not self._publishing:
            tap._call(on_done)
        return tap


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Events(self._lock)
