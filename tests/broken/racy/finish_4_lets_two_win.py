"""finish looks whether the run is done before it takes the lock, so that two win."""

from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

from tests.broken.racy._parts import announce_the_end, place, stamped_for_finish

__all__ = ["Run", "events"]

BREAKS = ("FINISH-4", "STREAM-6")


class Run(RightRun):
    def finish(self, terminal: Event, **outcome: Any) -> bool:
        stamped, result = stamped_for_finish(self, terminal, outcome)
        if self.is_done:
            return False
        with self._lock:
            self.result._keep(result)
            _hook, self._on_cancel = self._on_cancel, None
            place(self, stamped)
            self._keep_drained_if_due()
        announce_the_end(self)
        return True
