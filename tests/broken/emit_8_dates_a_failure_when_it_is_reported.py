"""a run that fails gets the time of its finish for the time of its terminal's creation."""

from datetime import UTC, datetime
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

ENVELOPE = ("kind", "ts", "run-id", "seq")
BREAKS = ("EMIT-8",)
SAYS = "they must keep the ts of their creation"


class Run(RightRun):
    def finish(self, terminal: Event, **outcome: Any) -> bool:
        if isinstance(terminal, events.RunFailed):
            payload = {key: value for key, value in terminal.plain().items() if key not in ENVELOPE}
            terminal = events.make(terminal.kind, payload, datetime.now(UTC))
        return super().finish(terminal, **outcome)
