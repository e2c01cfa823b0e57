"""An event of the user's own class is copied with the lock held."""

import copy

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("LEAF-5",)
SAYS = "an operation that was given something foreign did not come back"


class Run(RightRun):
    def emit(self, event: Event) -> bool:
        if isinstance(event, Event) and type(event) not in events.KINDS.values():
            with self._lock:
                event = copy.copy(event)
        return super().emit(event)
