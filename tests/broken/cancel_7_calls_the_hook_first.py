"""the hook is called before the cancellation is kept, so that it wakes a driver that sees false."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("CANCEL-7",)
SAYS = "inside the hook is_cancelled must be true already"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._keep_cancelled = self.cancellation._keep
        self.cancellation._keep = lambda value: None
        self._claimed = False

    def cancel(self) -> None:
        if self._claimed or self.is_done:
            return
        self._claimed = True
        super().cancel()
        with self._lock:
            self._keep_cancelled(True)
        self.cancellation._announce()
