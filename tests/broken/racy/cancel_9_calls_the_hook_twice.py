"""cancel looks whether it is the first before it takes the lock, so that two call the hook."""

from agent_run import Run as RightRun
from agent_run import events
from agent_run.crew import shielded

__all__ = ["Run", "events"]

BREAKS = ("CANCEL-9",)


class Run(RightRun):
    def cancel(self) -> None:
        if self.is_cancelled:
            return
        with self._lock:
            if self.is_done:
                return
            self.cancellation._keep(True)
            hook = self._on_cancel
        self.cancellation._announce()
        if hook is not None:
            shielded("the on-cancel hook", hook)
