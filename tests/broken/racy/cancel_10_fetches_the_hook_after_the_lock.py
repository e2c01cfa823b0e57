"""cancel is accepted under the lock and fetches the hook after it; a finish between them has let go of the hook."""

from agent_run import Run as RightRun
from agent_run import events
from agent_run.crew import shielded

__all__ = ["Run", "events"]

BREAKS = ("CANCEL-10",)


class Run(RightRun):
    def cancel(self) -> None:
        with self._lock:
            if self.is_done or self.is_cancelled:
                return
            self.cancellation._keep(True)
        self.cancellation._announce()
        hook = self._on_cancel
        if hook is not None:
            shielded("the on-cancel hook", hook)
