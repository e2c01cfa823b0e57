"""Done is signalled with a lock held that `then` takes; the same thread may take it again."""

import threading
from collections.abc import Callable
from typing import Any

from agent_run import Promise, events
from agent_run import Run as RightRun
from agent_run.stream import Callback, Tap

__all__ = ["Run", "events"]

BREAKS = ("LEAF-1",)
SAYS = "called through a second thread that it joins did not come back"


class Guarded(Promise[Any]):
    def __init__(self, lock: threading.Lock) -> None:
        super().__init__(lock)
        self.registering = threading.RLock()

    def then(self, continuation: Callable[[Any], object]) -> None:
        with self.registering:
            super().then(continuation)


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.cancellation = Guarded(self._changed)
        self._right_tap = self.events.tap
        self.events.tap = self._tap

    def _tap(self, on_event: Callback, on_done: Callback, on_quit: Callback) -> Tap:
        def locked() -> None:
            with self.cancellation.registering:
                on_done()

        return self._right_tap(on_event, locked, on_quit)
