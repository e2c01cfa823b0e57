"""finish lays its result down in the run before it knows that it has won, and another puts its own in the place."""

from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

from tests.broken.racy._parts import announce_the_end, place, stamped_for_finish

__all__ = ["Run", "events"]

BREAKS = ("FINISH-4",)


class Run(RightRun):
    _given: object = None

    def finish(self, terminal: Event, **outcome: Any) -> bool:
        stamped, given = stamped_for_finish(self, terminal, outcome)
        self._given = given
        with self._lock:
            if self.is_done:
                return False
            self.result._keep(self._given)
            _hook, self._on_cancel = self._on_cancel, None
            place(self, stamped)
            self._keep_drained_if_due()
        announce_the_end(self)
        return True
