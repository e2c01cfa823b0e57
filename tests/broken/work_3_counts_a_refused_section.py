"""a refused work_begin counts, and nobody is going to close it."""

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("WORK-3",)
SAYS = "a refused one counts nothing"


class Run(RightRun):
    def work_begin(self) -> bool:
        granted = super().work_begin()
        if not granted:
            self._open_sections += 1
        return granted
