"""An event that a subscriber emits is delivered at once, inside the callback."""

import threading
from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event
from agent_run.stream import Events as RightEvents

__all__ = ["Run", "events"]

BREAKS = ("STREAM-15",)
SAYS = "from inside that tap's own callback"


class Events(RightEvents):
    publisher = 0

    def _publish(self) -> None:
        self.publisher = threading.get_ident()
        super()._publish()

    def deliver_inside(self) -> None:
        self.publisher = 0  # one level is enough
        with self._lock:
            event = self._mailbox.popleft() if self._mailbox and not self._mailbox[0].is_terminal else None
        for tap in self._taps if event else ():
            tap._call(tap._on_event, event)
        self.publisher = threading.get_ident()


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Events(self._lock)

    def emit(self, event: Event) -> bool:
        accepted = super().emit(event)
        if self.events._publishing and self.events.publisher == threading.get_ident():
            self.events.deliver_inside()
        return accepted
