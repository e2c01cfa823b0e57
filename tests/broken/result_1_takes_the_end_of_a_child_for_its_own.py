"""The terminal of a child run inside a subagent event ends the parent."""

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("RESULT-1",)
SAYS = "after a subagent event"


class Run(RightRun):
    def emit(self, event: events.Event) -> bool:
        accepted = super().emit(event)
        if event.kind == "subagent" and event.inner["kind"] in events.TERMINAL_KINDS:
            self.finish(events.RunCompleted())
        return accepted
