"""emit inside a section is told true after the end of the run."""

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("WORK-5",)
SAYS = "emit inside a section must return false once the run is closed"


class Run(RightRun):
    def emit(self, event: Event) -> bool:
        return super().emit(event) or self._open_sections > 0
