"""A cancel is claimed under the lock and kept after it; drained does not wait for the hook (decisions 17 and 27)."""

from collections.abc import Callable

from agent_run import Run as ReferenceRun
from agent_run import events
from agent_run.crew import shielded

__all__ = ["Run", "events"]


class Run(ReferenceRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._claimed = False
        self._hook = on_cancel

    def cancel(self) -> None:
        with self._lock:
            if self._claimed or self.is_done:
                return
            self._claimed = True
        with self._lock:
            self.cancellation._keep(True)
        if self._hook is not None:
            shielded("the on-cancel hook", self._hook)
        self.cancellation._announce()
