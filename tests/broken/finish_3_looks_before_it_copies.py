"""emit looks whether the run is done, then copies the event, and does not look again before it queues the copy."""

import copy

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

from tests.broken.racy._parts import place, stamped_for_emit

__all__ = ["Run", "events"]

BREAKS = ("FINISH-3",)
SAYS = "it must be log, run-completed and nothing else"


class Run(RightRun):
    def emit(self, event: Event) -> bool:
        if self.is_done:
            return False
        stamped = stamped_for_emit(self, copy.copy(event))
        with self._lock:
            place(self, stamped)
        self.events._wake()
        return True
