"""the first event has seq 1."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("EMIT-2", "ISO-2", "STREAM-1", "STREAM-7", "STREAM-12", "STREAM-16", "STREAM-17")
SAYS = "they must count from 0 by one"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._next_seq = 1
