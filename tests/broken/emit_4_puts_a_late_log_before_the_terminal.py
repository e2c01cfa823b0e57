"""a log that comes after the end is refused, and yet slipped in before a terminal that is not delivered."""

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("EMIT-4",)
SAYS = "published are log, log, run-completed; it must be log, run-completed"


class Run(RightRun):
    def emit(self, event: Event) -> bool:
        accepted = super().emit(event)
        if not accepted and event.kind == "log" and not self.events._taps and self.events._mailbox:
            self.events._mailbox.insert(-1, events.stamp(event, self.id))
        return accepted
