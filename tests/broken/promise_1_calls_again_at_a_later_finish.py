"""A finish that comes too late calls the continuations of the result once more."""

from collections.abc import Callable
from functools import partial
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.crew import crew, shielded
from agent_run.promise import Promise

__all__ = ["Run", "events"]

BREAKS = ("PROMISE-1",)
SAYS = "a continuation is called more than once"


class Repeating(Promise[dict[str, Any]]):
    registered: tuple[Callable[[Any], object], ...] = ()

    def then(self, continuation: Callable[[Any], object]) -> None:
        self.registered += (continuation,)
        super().then(continuation)


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.result = Repeating(self._lock)

    def finish(self, terminal: events.Event, **outcome: Any) -> bool:
        won = super().finish(terminal, **outcome)
        for continuation in self.result.registered if not won else ():
            crew.start(partial(shielded, "a continuation", continuation, self.result.value))
        return won
