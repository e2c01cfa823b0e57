"""Every run that fails leaves a thread behind that waits for ever."""

import threading
from typing import Any

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("ISO-3",)
SAYS = "leave no threads"


class Run(RightRun):
    def finish(self, terminal: events.Event, **outcome: Any) -> bool:
        won = super().finish(terminal, **outcome)
        if won and terminal.kind == "run-failed":
            threading.Thread(target=threading.Event().wait, daemon=True).start()
        return won
