"""Each wait registers a continuation, and one that times out leaves it there."""

import threading
from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.promise import Promise

__all__ = ["Run", "events"]

BREAKS = ("ISO-4",)
SAYS = "leave nothing"


class Adding(Promise[Any]):
    def wait(self, timeout: float | None = None) -> Any:
        kept = threading.Event()
        self.then(lambda _: kept.set())
        if not kept.wait(timeout):
            raise TimeoutError
        return self.value


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.result, self.cancellation, self.drained = (Adding(self._changed) for _ in range(3))
