"""The backlog has room for 200 events; the oldest make way for new ones."""

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("STREAM-1", "STREAM-17")
SAYS = "is handed 300 events"


class Run(RightRun):
    def emit(self, event: Event) -> bool:
        with self._lock:
            if not self.events._taps and len(self.events._mailbox) >= 200:
                self.events._mailbox.popleft()
        return super().emit(event)
