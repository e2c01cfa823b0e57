"""work_done returns how many sections are left."""

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("WORK-4",)
SAYS = "it must return nothing in any state of the run"


class Run(RightRun):
    def work_done(self) -> int:
        super().work_done()
        return self._open_sections
