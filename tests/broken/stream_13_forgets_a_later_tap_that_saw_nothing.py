"""A later tap is registered with its first event; if that is the terminal, it is forgotten."""

import threading
from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event
from agent_run.stream import Events as RightEvents
from agent_run.stream import Tap

__all__ = ["Run", "events"]

BREAKS = ("STREAM-13",)
SAYS = "it never came that done is handed"


class Events(RightEvents):
    def __init__(self, lock: threading.Lock) -> None:
        super().__init__(lock)
        self._busy: list[Tap] = []

    def _take(self) -> tuple[Event, tuple[Tap, ...]] | None:
        work = super()._take()
        if work is None:
            return None
        event, audience = work
        if event.is_terminal:
            audience = tuple(tap for tap in audience if tap in self._busy) if self._busy else audience
        self._busy += audience
        return event, audience


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Events(self._lock)
