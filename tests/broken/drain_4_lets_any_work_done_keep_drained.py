"""on a closed run the first work_done keeps drained, however many sections are open."""

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("DRAIN-4", "WORK-2")
SAYS = "work_done kept drained with"


class Run(RightRun):
    def work_done(self) -> None:
        if self.is_done:
            self._open_sections = 1
        super().work_done()
