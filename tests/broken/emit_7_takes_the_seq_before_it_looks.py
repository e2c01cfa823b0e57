"""what is no event is refused, but only once it has taken a seq."""

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("EMIT-7",)
SAYS = "only an accepted event takes a seq"


class Run(RightRun):
    def emit(self, event: Event) -> bool:
        try:
            return super().emit(event)
        except TypeError:
            self._next_seq += 1
            raise
