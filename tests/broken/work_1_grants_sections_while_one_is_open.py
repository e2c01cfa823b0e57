"""on a closed run work_begin returns true as long as a section is open."""

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("WORK-1",)
SAYS = "work_begin on a closed run replied [True, True]; all must be false"


class Run(RightRun):
    def work_begin(self) -> bool:
        return super().work_begin() or self._open_sections > 0
