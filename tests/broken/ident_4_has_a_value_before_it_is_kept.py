"""The value of drained is false until it is kept, as if it were a flag."""

from collections.abc import Callable
from typing import Any

from agent_run import Promise, events
from agent_run import Run as RightRun

__all__ = ["Run", "events"]

BREAKS = ("IDENT-4",)
SAYS = "is planned and has the value False"


class Flag(Promise[Any]):
    @property
    def value(self) -> Any:
        return super().value if self.status == "kept" else False


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.drained = Flag(self._changed)
