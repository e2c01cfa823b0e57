"""work_done does not return on a closed run."""

import threading

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]


class Run(RightRun):
    def work_done(self) -> None:
        super().work_done()
        if self.is_done:
            threading.Event().wait()
