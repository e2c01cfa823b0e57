"""A function that is registered twice before the keeping is called once."""

from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.promise import Promise

__all__ = ["Run", "events"]

BREAKS = ("PROMISE-1",)
SAYS = "a function registered twice before the keeping is called twice"


class Collapsing(Promise[Any]):
    def then(self, continuation: Callable[[Any], object]) -> None:
        if continuation not in self._continuations.values():
            super().then(continuation)


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.result, self.cancellation, self.drained = (Collapsing(self._changed) for _ in range(3))
