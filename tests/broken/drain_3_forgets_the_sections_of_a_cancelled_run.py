"""the finish of a cancelled run keeps drained, though a tool is still at work."""

from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("DRAIN-3", "CANCEL-5", "WORK-2")
SAYS = "drained is kept though one section is open"


class Run(RightRun):
    def finish(self, terminal: Event, **outcome: Any) -> bool:
        if self.is_cancelled:
            self._open_sections = 0
        return super().finish(terminal, **outcome)
