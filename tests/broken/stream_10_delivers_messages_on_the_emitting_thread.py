"""emit of an assistant-message delivers it on the spot, on the thread of the driver."""

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("STREAM-10",)
SAYS = "emit and finish return"


class Run(RightRun):
    def emit(self, event: Event) -> bool:
        if event.kind != "assistant-message" or self.events._publishing:
            return super().emit(event)
        self.events._publishing = True
        accepted = super().emit(event)
        self.events._publish()
        return accepted
