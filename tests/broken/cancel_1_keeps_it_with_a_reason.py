"""the cancellation is kept with a text and not with true."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("CANCEL-1", "CANCEL-8")
SAYS = "the cancellation must be kept with true"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        right_keep = self.cancellation._keep
        self.cancellation._keep = lambda value: right_keep("cancelled")
