"""the end of a section is taken for the end of the driver, whose hook is then no more called."""

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("CANCEL-1", "STREAM-9")
SAYS = "the first cancel must call the hook once; it called it 0 times"


class Run(RightRun):
    def work_done(self) -> None:
        self._on_cancel = None
        super().work_done()
