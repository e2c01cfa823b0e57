"""cancel throws away what was accepted and not yet tapped."""

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("CANCEL-5",)
SAYS = "an event accepted before the cancel is delivered after it"


class Run(RightRun):
    def cancel(self) -> None:
        if not self.is_done and not self.events._taps:
            self.events._mailbox.clear()
        super().cancel()
