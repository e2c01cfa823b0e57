"""the hook is not called when a continuation waits for the cancellation."""

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("CANCEL-1",)
SAYS = "the first cancel must call the hook once; it called it 0 times"


class Run(RightRun):
    def cancel(self) -> None:
        if self.cancellation._continuations:
            self._on_cancel = None
        super().cancel()
