"""The first finish claims the end and keeps the result in a second step; others are refused by a run that is open."""

from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

from tests.broken.racy._parts import announce_the_end, place, stamped_for_finish

__all__ = ["Run", "events"]

BREAKS = ("FINISH-5",)


class Run(RightRun):
    _claimed = False

    def finish(self, terminal: Event, **outcome: Any) -> bool:
        stamped, result = stamped_for_finish(self, terminal, outcome)
        with self._lock:
            if self._claimed:
                return False
            self._claimed = True
        with self._lock:
            self.result._keep(result)
            _hook, self._on_cancel = self._on_cancel, None
            place(self, stamped)
            self._keep_drained_if_due()
        announce_the_end(self)
        return True
