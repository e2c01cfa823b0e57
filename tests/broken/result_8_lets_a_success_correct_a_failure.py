"""A later success rewrites the result of a run that had failed."""

from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.plain import freeze, thaw

__all__ = ["Run", "events"]

BREAKS = ("RESULT-8", "FINISH-1")
SAYS = "and a later finish with run-completed"


class Run(RightRun):
    def finish(self, terminal: events.Event, **outcome: Any) -> bool:
        won = super().finish(terminal, **outcome)
        if not won and terminal.kind == "run-completed" and self.result.value["outcome"] == "failed":
            given = {key: value for key, value in outcome.items() if key != "spent"}
            self.result._value = freeze({**thaw(self.result._value), **given, "outcome": "completed"})
        return won
