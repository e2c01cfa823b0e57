"""a later cancel calls the hook again, once the first has returned."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.crew import shielded

__all__ = ["Run", "events"]

BREAKS = ("CANCEL-2",)
SAYS = "a later cancel calls the hook"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._hook = on_cancel
        self._again = False

    def cancel(self) -> None:
        if self._again and self._hook and not self.is_done:
            self._again = False
            shielded("the on-cancel hook", self._hook)
        super().cancel()
        self._again = self.is_cancelled
