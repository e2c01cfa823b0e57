"""emit queues the event and asks afterwards whether the run is done: what was published is called refused."""

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("EMIT-9", "FINISH-3")


class Run(RightRun):
    def emit(self, event: Event) -> bool:
        return super().emit(event) and not self.is_done
