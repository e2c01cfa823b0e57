"""For a tap that does not keep up, 64 events are kept and the oldest are dropped."""

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("STREAM-7", "STREAM-17")
SAYS = "must be handed just the events with seq [0, 1, 2"


class Run(RightRun):
    def emit(self, event: Event) -> bool:
        if self.events._taps and len(self.events._mailbox) >= 64:
            self.events._mailbox.popleft()
        return super().emit(event)
