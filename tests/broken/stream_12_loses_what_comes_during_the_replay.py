"""The first tap is registered after the replay: of what comes in between, only the newest event is kept."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.crew import shielded
from agent_run.stream import Callback, Tap
from agent_run.stream import Events as RightEvents

__all__ = ["Run", "events"]

BREAKS = ("STREAM-12",)
SAYS = "must be handed just the events with seq [0, 1, 2, 3, 4, 5, 6]"


class Events(RightEvents):
    def tap(self, on_event: Callback, on_done: Callback | None = None, on_quit: Callback | None = None) -> Tap:
        with self._lock:
            first = not self._taps and not self._over
            backlog = [event for event in self._mailbox if first and not event.is_terminal]
        for event in backlog:
            shielded("a subscriber", on_event, event)
        with self._lock:
            for _ in backlog:
                self._mailbox.popleft()
            while backlog and len([event for event in self._mailbox if not event.is_terminal]) > 1:
                self._mailbox.popleft()
        return super().tap(on_event, on_done, on_quit)


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Events(self._lock)
