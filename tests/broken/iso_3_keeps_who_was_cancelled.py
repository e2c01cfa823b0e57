"""Every run that is cancelled is noted for a statistic and never forgotten."""

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("ISO-3",)
SAYS = "runs that are over and dropped are freed"
CANCELLED: list["Run"] = []


class Run(RightRun):
    def cancel(self) -> None:
        CANCELLED.append(self)
        super().cancel()
