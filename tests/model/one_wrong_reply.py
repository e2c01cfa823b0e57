"""work_begin replies true in a single state of a closed run; in all other states the run is right.

The run has failed after a cancel, with a section open, and its only tap was handed one event and closed.
"""

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]


class Run(RightRun):
    def work_begin(self) -> bool:
        return super().work_begin() or self._is_in_that_state()

    def _is_in_that_state(self) -> bool:
        terminal_waits = self._next_seq == 2 and len(self.events._mailbox) == 1
        failed = self.result.value["outcome"] == "failed"
        return failed and self.is_cancelled and self._open_sections == 1 and terminal_waits
