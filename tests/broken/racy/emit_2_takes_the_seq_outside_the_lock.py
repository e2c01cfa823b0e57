"""emit takes the seq as last plus one before it takes the lock, so that two emits take the same one."""

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event, order

from tests.broken.racy._parts import stamped_for_emit

__all__ = ["Run", "events"]

BREAKS = ("EMIT-2", "STREAM-7")


class Run(RightRun):
    def emit(self, event: Event) -> bool:
        stamped = stamped_for_emit(self, event)
        seq = self._next_seq
        with self._lock:
            if self.is_done:
                return False
            self._next_seq = seq + 1
            order(stamped, seq)
            self.events._mailbox.append(stamped)
        self.events._wake()
        return True
