"""a work_done without a section makes the count negative."""

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("WORK-4",)
SAYS = "a work_done without a section must not make the count negative"


class Run(RightRun):
    def work_done(self) -> None:
        with self._lock:
            self._open_sections -= 1
            self._keep_drained_if_due()
        self.drained._announce()
