"""The first tap gets a copy of the backlog and is registered afterwards: what comes in between is lost."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.crew import shielded
from agent_run.stream import Callback, Tap
from agent_run.stream import Events as RightEvents

__all__ = ["Run", "events"]

BREAKS = ("STREAM-12", "STREAM-9")
SAYS = "must be handed just the events with seq [0, 1, 2, 3, 4, 5, 6]"


class Events(RightEvents):
    def tap(self, on_event: Callback, on_done: Callback | None = None, on_quit: Callback | None = None) -> Tap:
        with self._lock:
            backlog = [] if self._taps or self._over else [each for each in self._mailbox if not each.is_terminal]
        for event in backlog:
            shielded("a subscriber", on_event, event)
        with self._lock:
            missed = self._mailbox[0].seq + len(self._mailbox) if backlog else 0
            while backlog and self._mailbox and not self._mailbox[0].is_terminal and self._mailbox[0].seq < missed:
                self._mailbox.popleft()
        return super().tap(on_event, on_done, on_quit)


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Events(self._lock)
