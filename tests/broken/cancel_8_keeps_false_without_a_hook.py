"""the cancellation of a run without a hook is kept with false, because nobody was told."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("CANCEL-8",)
SAYS = "must be kept with true"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        if on_cancel is None:
            right_keep = self.cancellation._keep
            self.cancellation._keep = lambda value: right_keep(False)
