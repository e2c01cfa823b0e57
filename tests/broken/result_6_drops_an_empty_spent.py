"""A spent without figures is taken as not given."""

from typing import Any

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("RESULT-6",)
SAYS = "is absent from the result"


class Run(RightRun):
    def finish(self, terminal: events.Event, **outcome: Any) -> bool:
        if not outcome.get("spent"):
            outcome.pop("spent", None)
        return super().finish(terminal, **outcome)
