"""the caller's own event gets the stamp as well as the copy."""

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("EMIT-5",)
SAYS = "it must stamp a copy"


class Run(RightRun):
    def emit(self, event: Event) -> bool:
        accepted = super().emit(event)
        event.__dict__.update(run_id=self.id, seq=self._next_seq - 1)
        return accepted
