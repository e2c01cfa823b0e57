"""work_begin counts without the lock, so that of two sections one is not counted."""

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("WORK-6", "DRAIN-8")


class Run(RightRun):
    def work_begin(self) -> bool:
        if self.is_done:
            return False
        counted = self._open_sections
        self._open_sections = counted + 1
        return True
