"""a work_done without a section on an open run throws, in the middle of somebody's cleanup."""

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("WORK-4",)
SAYS = "no section is open"


class Run(RightRun):
    def work_done(self) -> None:
        if self._open_sections == 0 and not self.is_done:
            raise RuntimeError("no section is open")
        super().work_done()
