"""Continuations are called by the operation that keeps the promise, on its thread, after the lock is released.

Where a promise is kept already, `then` calls at once. One that blocks holds up its own caller and nobody else.
"""

from collections.abc import Callable
from typing import Any

from agent_run import Promise, events
from agent_run import Run as ReferenceRun
from agent_run.crew import shielded

__all__ = ["Run", "events"]


class CallingPromise(Promise[Any]):
    def _announce(self) -> None:
        if self.status == "planned":
            return
        with self._changed:
            due, self._continuations = self._continuations, {}
        for continuation in due.values():
            shielded("a continuation", continuation, self.value)


class Run(ReferenceRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.result, self.cancellation, self.drained = (CallingPromise(self._changed) for _ in range(3))
