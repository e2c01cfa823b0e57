"""Messages that the driver did not give are null, not an empty list."""

from typing import Any

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("RESULT-3",)
SAYS = "the driver gave no messages"


class Run(RightRun):
    def finish(self, terminal: events.Event, **outcome: Any) -> bool:
        return super().finish(terminal, **{"messages": None, **outcome})
