"""what is no event is dropped without a word."""

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("EMIT-7",)
SAYS = "which is no event, with an error, but it replied False"


class Run(RightRun):
    def emit(self, event: object) -> bool:
        return isinstance(event, Event) and super().emit(event)
