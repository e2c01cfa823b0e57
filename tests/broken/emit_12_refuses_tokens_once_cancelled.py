"""cancel shuts the stream for tokens, so a reply that was under way breaks off."""

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("EMIT-12", "CANCEL-5")
SAYS = "only finish closes a run"


class Run(RightRun):
    def emit(self, event: Event) -> bool:
        shut = self.is_cancelled and getattr(event, "kind", "") == "token"
        return not shut and super().emit(event)
