"""the stamp takes the clock anew, so the time of creation is lost."""

from datetime import UTC, datetime

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("EMIT-8",)
SAYS = "they must keep the ts of their creation"


class Run(RightRun):
    def _queue(self, stamped: Event) -> None:
        stamped.__dict__["ts"] = datetime.now(UTC)
        super()._queue(stamped)
