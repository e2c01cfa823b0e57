"""64 threads deliver for all runs, so that as many blocked subscribers stop every run."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from agent_run import Run, events, stream

__all__ = ["Run", "events"]

BREAKS = ("ISO-1",)
SAYS = "each must get there, however many others are parked"


class Pool:
    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(64)

    def start(self, task: Any) -> None:
        self._pool.submit(task)


stream.crew = Pool()
