"""The hook is called with a lock held that `then` takes; the same thread may take it again."""

import threading
from collections.abc import Callable
from typing import Any

from agent_run import Promise, events
from agent_run import Run as RightRun

__all__ = ["Run", "events"]

BREAKS = ("LEAF-2",)
SAYS = "did not come back within"


class Guarded(Promise[Any]):
    def __init__(self, lock: threading.Lock) -> None:
        super().__init__(lock)
        self.registering = threading.RLock()

    def then(self, continuation: Callable[[Any], object]) -> None:
        with self.registering:
            super().then(continuation)


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel and self._locked(on_cancel))
        self.cancellation = Guarded(self._changed)

    def _locked(self, hook: Callable[[], object]) -> Callable[[], None]:
        def locked() -> None:
            with self.cancellation.registering:
                hook()

        return locked
