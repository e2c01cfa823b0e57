"""a run that fails gets the time of its finish for the time of its terminal's creation."""

from datetime import UTC, datetime

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("EMIT-8",)
SAYS = "they must keep the ts of their creation"


class Run(RightRun):
    def _queue(self, stamped: Event) -> None:
        if stamped.kind == "run-failed":
            stamped.__dict__["ts"] = datetime.now(UTC)
        super()._queue(stamped)
