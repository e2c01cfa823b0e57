"""work_done reads the count before it takes the lock and writes it after that: of two sections one stays open."""

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("DRAIN-8", "WORK-6")


class Run(RightRun):
    def work_done(self) -> None:
        left = max(0, self._open_sections - 1)
        with self._lock:
            self._open_sections = left
            self._keep_drained_if_due()
        self.drained._announce()
