"""Who announces that a promise is kept calls the continuations first and lets go of them afterwards."""

from collections.abc import Callable
from functools import partial
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.crew import crew, shielded
from agent_run.promise import Promise

__all__ = ["Run", "events"]

BREAKS = ("PROMISE-1", "DRAIN-8", "DRAIN-6", "CANCEL-9")


class Repeating(Promise[Any]):
    def _announce(self) -> None:
        if self.status == "planned":
            return
        for continuation in [*self._continuations.values()]:
            crew.start(partial(shielded, "a continuation", continuation, self.value))
        self._continuations = {}


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        for promise in (self.result, self.cancellation, self.drained):
            promise.__class__ = Repeating
