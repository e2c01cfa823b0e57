"""One thread calls the continuations of all runs, so that one that blocks holds up all."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from agent_run import Run, events, promise

__all__ = ["Run", "events"]

BREAKS = ("PROMISE-3", "ISO-1", "LEAF-4")
SAYS = "a continuation of another run is called"


class OneThread:
    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1)

    def start(self, task: Any) -> None:
        self._pool.submit(task)


promise.crew = OneThread()
