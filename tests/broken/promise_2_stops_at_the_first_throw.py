"""A continuation that throws costs those after it their calls."""

from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.crew import crew, shielded
from agent_run.promise import Promise

__all__ = ["Run", "events"]

BREAKS = ("PROMISE-2",)
SAYS = "beside those that throw"


class Fragile(Promise[Any]):
    def _announce(self) -> None:
        if self.status == "planned":
            return
        with self._changed:
            due, self._continuations = self._continuations, {}
        crew.start(lambda: shielded("the continuations", self._call_all, list(due.values())))

    def _call_all(self, continuations: list[Callable[[Any], object]]) -> None:
        for continuation in continuations:
            continuation(self.value)


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.result, self.cancellation, self.drained = (Fragile(self._changed) for _ in range(3))
