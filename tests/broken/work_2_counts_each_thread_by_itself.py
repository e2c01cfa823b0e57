"""a work_done on another thread than the work_begin closes nothing."""

import threading
from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("WORK-2", "ISO-1", "STREAM-9")
SAYS = "run.drained is kept"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._of_thread = threading.local()

    def work_begin(self) -> bool:
        granted = super().work_begin()
        self._of_thread.sections = getattr(self._of_thread, "sections", 0) + granted
        return granted

    def work_done(self) -> None:
        if getattr(self._of_thread, "sections", 0):
            self._of_thread.sections -= 1
            super().work_done()

    def cancel(self) -> None:
        accepted = not self.is_done and not self.is_cancelled
        self._of_thread.sections = getattr(self._of_thread, "sections", 0) + accepted
        super().cancel()
