"""a run that was cancelled before its first event ends as cancelled, whatever terminal it is given."""

from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("FINISH-6", "RESULT-4")
SAYS = "it must be that of the terminal, 'completed'"


class Run(RightRun):
    def finish(self, terminal: Event, **outcome: Any) -> bool:
        if self.is_cancelled and self._next_seq == 0:
            terminal = events.RunCancelled(ts=terminal.ts)
        return super().finish(terminal, **outcome)
