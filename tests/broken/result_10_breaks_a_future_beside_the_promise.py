"""A failed run also fails a future that nobody awaits."""

import asyncio
from typing import Any

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("RESULT-10",)
SAYS = "raises an alarm"


class Run(RightRun):
    def finish(self, terminal: events.Event, **outcome: Any) -> bool:
        won = super().finish(terminal, **outcome)
        if won and terminal.kind == "run-failed":
            loop = asyncio.new_event_loop()
            loop.create_future().set_exception(RuntimeError(terminal.error))
            loop.close()
        return won
