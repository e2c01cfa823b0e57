"""work_begin looks whether the run is done before it takes the lock, and grants a section that drained cannot see."""

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("WORK-6",)


class Run(RightRun):
    def work_begin(self) -> bool:
        if self.is_done:
            return False
        with self._lock:
            self._open_sections += 1
        return True
