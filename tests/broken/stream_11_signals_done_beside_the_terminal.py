"""A late emit that finds the terminal out signals done, though the terminal's callback is still busy."""

import threading
from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.crew import crew
from agent_run.events import Event
from agent_run.stream import Events as RightEvents
from agent_run.stream import Tap

__all__ = ["Run", "events"]

BREAKS = ("STREAM-11",)
SAYS = "is handed done while it is still busy with the terminal"


class Events(RightEvents):
    ending: tuple[Tap, ...] = ()

    def _publish(self) -> None:
        while (work := self._take()) is not None:
            event, audience = work
            if event.is_terminal:
                self.ending = audience
            for tap in audience:
                tap._call(tap._on_event, event)
            self.signal_done()

    def signal_done(self) -> None:
        with self._lock:
            audience, self.ending = self.ending, ()
        for tap in audience:
            tap._call(tap._on_done)


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Events(self._lock)

    def emit(self, event: Event) -> bool:
        accepted = super().emit(event)
        if not accepted and self.events.ending and threading.current_thread().name == "helper":
            crew.start(self.events.signal_done)
        return accepted
