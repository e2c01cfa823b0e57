"""then looks whether the promise is kept and registers in a second step; one that is kept between calls nobody."""

from collections.abc import Callable
from functools import partial
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.crew import crew, shielded
from agent_run.promise import Promise

__all__ = ["Run", "events"]

BREAKS = ("PROMISE-1",)


class Forgetting(Promise[Any]):
    def _register(self, continuation: Callable[[Any], object]) -> object:
        ticket = object()
        if self.status == "kept":
            crew.start(partial(shielded, "a continuation", continuation, self.value))
            return ticket
        with self._changed:
            self._continuations[ticket] = continuation
        return ticket


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        for promise in (self.result, self.cancellation, self.drained):
            promise.__class__ = Forgetting
