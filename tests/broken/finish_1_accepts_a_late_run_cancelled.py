"""a finish with run-cancelled is told that it ended a run which had ended before."""

from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("FINISH-1",)
SAYS = "the first must reply true and every later one false"


class Run(RightRun):
    def finish(self, terminal: Event, **outcome: Any) -> bool:
        return super().finish(terminal, **outcome) or terminal.kind == "run-cancelled"
