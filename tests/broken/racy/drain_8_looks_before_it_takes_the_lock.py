"""finish looks for sections, and work_done for the end, before they take the lock: each leaves drained to the other."""

from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

from tests.broken.racy._parts import announce_the_end, place, stamped_for_finish

__all__ = ["Run", "events"]

BREAKS = ("DRAIN-8", "WORK-6")


class Run(RightRun):
    def finish(self, terminal: Event, **outcome: Any) -> bool:
        stamped, result = stamped_for_finish(self, terminal, outcome)
        idle = not self._open_sections
        with self._lock:
            if self.is_done:
                return False
            self.result._keep(result)
            _hook, self._on_cancel = self._on_cancel, None
            place(self, stamped)
            if idle:
                self._keep_drained_if_due()
        announce_the_end(self)
        return True

    def work_done(self) -> None:
        done = self.is_done
        with self._lock:
            self._open_sections = max(0, self._open_sections - 1)
            if done:
                self._keep_drained_if_due()
        self.drained._announce()
