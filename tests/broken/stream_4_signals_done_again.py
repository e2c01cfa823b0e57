"""A second finish signals done once more, unless a callback makes it."""

import threading
from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event
from agent_run.stream import Events as RightEvents
from agent_run.stream import Tap

__all__ = ["Run", "events"]

BREAKS = ("STREAM-4",)
SAYS = "done is signalled to a tap a second time"


class Events(RightEvents):
    audience: tuple[Tap, ...] = ()

    def _take(self) -> tuple[Event, tuple[Tap, ...]] | None:
        work = super()._take()
        if work is not None:
            self.audience = work[1]
        return work


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Events(self._lock)

    def finish(self, terminal: Event, **outcome: Any) -> bool:
        first = super().finish(terminal, **outcome)
        if not first and not self.events._publishing and threading.current_thread().name != "agent-run":
            for tap in self.events.audience:
                tap._call(tap._on_done)
        return first
