"""Figures of spent that nobody reported are zero."""

from typing import Any

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("RESULT-7",)
SAYS = "the result's spent also has"


class Run(RightRun):
    def finish(self, terminal: events.Event, **outcome: Any) -> bool:
        if outcome.get("spent") is not None:
            outcome["spent"] = {"prompt-tokens": 0, "completion-tokens": 0, **outcome["spent"]}
        return super().finish(terminal, **outcome)
