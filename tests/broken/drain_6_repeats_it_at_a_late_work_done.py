"""a work_done that comes late calls the continuations of drained again."""

from collections.abc import Callable
from typing import Literal

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("DRAIN-6",)
SAYS = "calls the continuation of drained again"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._asked: list[Callable[[Literal[True]], object]] = []
        self._right_then = self.drained.then
        self.drained.then = self._then

    def _then(self, continuation: Callable[[Literal[True]], object]) -> None:
        self._asked.append(continuation)
        self._right_then(continuation)

    def work_done(self) -> None:
        is_late = self.drained.status == "kept"
        super().work_done()
        for continuation in self._asked if is_late else ():
            self._right_then(continuation)
