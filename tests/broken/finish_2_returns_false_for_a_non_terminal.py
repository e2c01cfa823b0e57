"""finish with an event that is not terminal returns false, as if the run had ended before."""

from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("FINISH-2",)
SAYS = "which is not terminal, with an error, but it replied False"


class Run(RightRun):
    def finish(self, terminal: Event, **outcome: Any) -> bool:
        if isinstance(terminal, Event) and not terminal.is_terminal:
            return False
        return super().finish(terminal, **outcome)
