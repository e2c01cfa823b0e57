"""When a promise is kept, one of the threads that wait for it is woken."""

from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.promise import Promise

__all__ = ["Run", "events"]

BREAKS = ("PROMISE-4",)
SAYS = "did not come back"


class WakingOne(Promise[Any]):
    def _keep(self, value: object) -> None:
        self._value = value
        self._changed.notify()


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.result, self.cancellation, self.drained = (WakingOne(self._changed) for _ in range(3))
