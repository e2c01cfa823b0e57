"""the run-id that is stamped ends at the first space."""

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("EMIT-2",)
SAYS = "each must carry the run's"


class Run(RightRun):
    def _queue(self, stamped: Event) -> None:
        stamped.__dict__["run_id"] = self.id.partition(" ")[0]
        super()._queue(stamped)
