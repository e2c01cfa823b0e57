"""A continuation that is registered on a kept promise is called twice."""

from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.promise import Promise

__all__ = ["Run", "events"]

BREAKS = ("PROMISE-1",)
SAYS = "a continuation is called more than once"


class Doubling(Promise[Any]):
    def then(self, continuation: Callable[[Any], object]) -> None:
        for _ in range(2 if self.status == "kept" else 1):
            super().then(continuation)


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.result, self.cancellation, self.drained = (Doubling(self._changed) for _ in range(3))
