"""Done goes to whoever is tapped by then, not to those who were handed the terminal."""

import threading
from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.stream import Callback, Tap
from agent_run.stream import Events as RightEvents

__all__ = ["Run", "events"]

BREAKS = ("STREAM-4",)
SAYS = "is handed done without the terminal before it"


class Events(RightEvents):
    def _publish(self) -> None:
        while (work := self._take()) is not None:
            event, audience = work
            for tap in audience:
                tap._call(tap._on_event, event)
            if event.is_terminal:
                for tap in audience + self._taps_at_the_end():
                    tap._call(tap._on_done)

    def _taps_at_the_end(self) -> tuple[Tap, ...]:
        with self._lock:
            taps, self._late = tuple(self._late), []
            return taps

    def __init__(self, lock: threading.Lock) -> None:
        super().__init__(lock)
        self._late: list[Tap] = []

    def tap(self, on_event: Callback, on_done: Callback | None = None, on_quit: Callback | None = None) -> Tap:
        tap = super().tap(on_event, on_done, on_quit)
        with self._lock:
            if self._over and self._publishing:
                self._late.append(tap)
        return tap


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Events(self._lock)
