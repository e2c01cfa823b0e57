"""What the driver gives and is empty, zero or false is taken as not given."""

from typing import Any

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("RESULT-5",)
SAYS = "was given, and the result has None"


class Run(RightRun):
    def finish(self, terminal: events.Event, **outcome: Any) -> bool:
        given = {key: value for key, value in outcome.items() if value or key == "spent"}
        return super().finish(terminal, **given)
