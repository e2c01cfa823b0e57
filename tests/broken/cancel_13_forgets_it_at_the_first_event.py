"""a cancel that comes before the first event is forgotten once the driver starts."""

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event
from agent_run.promise import _PLANNED

__all__ = ["Run", "events"]

BREAKS = ("CANCEL-13", "IDENT-3")
SAYS = "a cancel before the first event must count: is_cancelled is false after the driver has started"


class Run(RightRun):
    def emit(self, event: Event) -> bool:
        if self._next_seq == 0:
            self.cancellation._value = _PLANNED
        return super().emit(event)
