"""the cancel takes a seq, as if it were an event."""

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("EMIT-2",)
SAYS = "only an accepted event takes a seq"


class Run(RightRun):
    def cancel(self) -> None:
        was_cancelled = self.is_cancelled
        super().cancel()
        self._next_seq += self.is_cancelled and not was_cancelled
