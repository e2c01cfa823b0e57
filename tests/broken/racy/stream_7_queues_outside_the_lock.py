"""emit takes the seq under the lock and queues the event after it, so that another one overtakes it."""

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event, order

from tests.broken.racy._parts import stamped_for_emit

__all__ = ["Run", "events"]

BREAKS = ("STREAM-7", "EMIT-9", "FINISH-3", "EMIT-2")


class Run(RightRun):
    def emit(self, event: Event) -> bool:
        stamped = stamped_for_emit(self, event)
        with self._lock:
            if self.is_done:
                return False
            order(stamped, self._next_seq)
            self._next_seq += 1
        self.events._mailbox.append(stamped)
        self.events._wake()
        return True
