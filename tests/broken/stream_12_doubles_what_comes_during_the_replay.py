"""What comes during the replay to the first tap, save for the newest, is replayed too and then delivered again."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.crew import shielded
from agent_run.events import Event
from agent_run.stream import Callback, Tap
from agent_run.stream import Events as RightEvents

__all__ = ["Run", "events"]

BREAKS = ("STREAM-12",)
SAYS = "must be handed just the events with seq [0, 1, 2, 3, 4, 5, 6]"


class Events(RightEvents):
    def tap(self, on_event: Callback, on_done: Callback | None = None, on_quit: Callback | None = None) -> Tap:
        before = 0 if self._taps or self._over else len(self._waiting())
        place = 0
        while place < before or (before and place < len(self._waiting()) - 1):
            shielded("a subscriber", on_event, self._mailbox[place])
            place += 1
        for _ in range(before):
            self._mailbox.popleft()
        return super().tap(on_event, on_done, on_quit)

    def _waiting(self) -> list[Event]:
        return [event for event in self._mailbox if not event.is_terminal]


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Events(self._lock)
