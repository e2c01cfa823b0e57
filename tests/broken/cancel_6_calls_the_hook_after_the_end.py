"""cancel on a finished run still calls the hook of a driver that has let go of everything."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.crew import shielded

__all__ = ["Run", "events"]

BREAKS = ("CANCEL-6", "DRAIN-7")
SAYS = "the hook is called though the run was finished before the cancel"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._hook = on_cancel

    def cancel(self) -> None:
        if self.is_done and not self.is_cancelled:
            hook, self._hook = self._hook, None
            if hook:
                shielded("the on-cancel hook", hook)
        super().cancel()
