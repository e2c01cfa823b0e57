"""finish keeps the result in one step and closes the run in another; emits between them come behind the terminal."""

from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

from tests.broken.racy._parts import place, stamped_for_emit

__all__ = ["Run", "events"]

BREAKS = ("FINISH-3", "EMIT-9")


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._closed = False

    def emit(self, event: Event) -> bool:
        stamped = stamped_for_emit(self, event)
        with self._lock:
            if self._closed:
                return False
            place(self, stamped)
        self.events._wake()
        return True

    def finish(self, terminal: Event, **outcome: Any) -> bool:
        won = super().finish(terminal, **outcome)
        with self._lock:
            self._closed = True
        return won
