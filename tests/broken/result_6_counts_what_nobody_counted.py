"""A run that nobody counted for reports that it spent nothing."""

from typing import Any

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("RESULT-6",)
SAYS = "nobody gave a spent"


class Run(RightRun):
    def finish(self, terminal: events.Event, **outcome: Any) -> bool:
        if outcome.get("spent") is None:
            outcome["spent"] = {"total-tokens": 0}
        return super().finish(terminal, **outcome)
