"""emit does not wait for the lock: who holds it queues the event for it, perhaps behind one that came afterwards."""

from collections import deque
from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

from tests.broken.racy._parts import place, stamped_for_emit

__all__ = ["Run", "events"]

BREAKS = ("EMIT-11", "EMIT-9")


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._waiting: deque[Event] = deque()

    def emit(self, event: Event) -> bool:
        stamped = stamped_for_emit(self, event)
        if not self._lock.acquire(blocking=False):
            self._waiting.append(stamped)
            self._queue_the_waiting()
            return True
        try:
            if self.is_done:
                return False
            place(self, stamped)
        finally:
            self._lock.release()
        self._queue_the_waiting()
        self.events._wake()
        return True

    def finish(self, terminal: Event, **outcome: Any) -> bool:
        self._queue_the_waiting()
        return super().finish(terminal, **outcome)

    def _queue_the_waiting(self) -> None:
        while self._waiting and self._lock.acquire(blocking=False):
            try:
                while self._waiting and not self.is_done:
                    place(self, self._waiting.popleft())
            finally:
                self._lock.release()
            self.events._wake()
