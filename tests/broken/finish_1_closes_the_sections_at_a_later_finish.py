"""a later finish is refused, and yet ends the sections that are open."""

from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("FINISH-1",)
SAYS = "they must change nothing"


class Run(RightRun):
    def finish(self, terminal: Event, **outcome: Any) -> bool:
        accepted = super().finish(terminal, **outcome)
        if not accepted and self._open_sections:
            self._open_sections = 1
            self.work_done()
        return accepted
