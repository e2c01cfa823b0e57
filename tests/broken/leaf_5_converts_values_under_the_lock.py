"""finish writes its values into a log line, as text and with the lock held."""

from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("LEAF-5",)
SAYS = "an operation that was given something foreign did not come back"


class Run(RightRun):
    def finish(self, terminal: Event, **outcome: Any) -> bool:
        with self._lock:
            self._line = f"finish with {outcome}"
        return super().finish(terminal, **outcome)
