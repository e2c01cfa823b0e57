"""cancel is accepted, and then asks once more whether the run is done, to spare a finished run its hook."""

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
            hook, self._on_cancel = self._on_cancel, None
        self.cancellation._announce()
        if hook is not None and not self.is_done:
            shielded("the on-cancel hook", hook)
