"""finish closes the run in one step and keeps the result in another; between them emits are refused by a run undone."""

from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

from tests.broken.racy._parts import announce_the_end, place, stamped_for_finish

__all__ = ["Run", "events"]

BREAKS = ("EMIT-10", "FINISH-5")


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._closed = False

    def emit(self, event: Event) -> bool:
        return not self._closed and super().emit(event)

    def finish(self, terminal: Event, **outcome: Any) -> bool:
        stamped, result = stamped_for_finish(self, terminal, outcome)
        with self._lock:
            if self._closed:
                return False
            self._closed = True
        with self._lock:
            self.result._keep(result)
            _hook, self._on_cancel = self._on_cancel, None
            place(self, stamped)
            self._keep_drained_if_due()
        announce_the_end(self)
        return True
