"""is_done turns true when the last section ends, not when there is a result."""

from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("IDENT-2",)
SAYS = "they must agree"


class Run:
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        self._run = RightRun(run_id, on_cancel)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run, name)

    @property
    def is_done(self) -> bool:
        return self._run.drained.status == "kept"
