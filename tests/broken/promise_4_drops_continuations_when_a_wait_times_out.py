"""A wait that times out drops the continuations of the others."""

from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.promise import Promise

__all__ = ["Run", "events"]

BREAKS = ("PROMISE-4",)
SAYS = "registered before waits that timed out"


class Dropping(Promise[Any]):
    def wait(self, timeout: float | None = None) -> Any:
        try:
            return super().wait(timeout)
        except TimeoutError:
            self._continuations.clear()
            raise


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.result, self.cancellation, self.drained = (Dropping(self._changed) for _ in range(3))
