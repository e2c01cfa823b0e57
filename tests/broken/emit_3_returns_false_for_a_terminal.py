"""emit of a terminal returns false, which a driver takes for the end of the run."""

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("EMIT-3",)
SAYS = "which only finish takes, with an error, but it replied False"


class Run(RightRun):
    def emit(self, event: Event) -> bool:
        return not getattr(event, "is_terminal", False) and super().emit(event)
