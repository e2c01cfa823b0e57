"""emit looks whether the run is done before it takes the lock, and queues behind the terminal of a finish between."""

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

from tests.broken.racy._parts import place, stamped_for_emit

__all__ = ["Run", "events"]

BREAKS = ("EMIT-9", "FINISH-3")


class Run(RightRun):
    def emit(self, event: Event) -> bool:
        stamped = stamped_for_emit(self, event)
        if self.is_done:
            return False
        with self._lock:
            place(self, stamped)
        self.events._wake()
        return True
