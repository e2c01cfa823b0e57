"""A run that was cancelled is reported as cancelled, whatever its terminal."""

from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.plain import freeze, thaw
from agent_run.promise import Promise

__all__ = ["Run", "events"]

BREAKS = ("RESULT-4", "FINISH-6")
SAYS = "the outcome of a run that ended in"


class Changed(Promise[dict[str, Any]]):
    run: "Run"

    def _keep(self, value: object) -> None:
        outcome = {"outcome": "cancelled"} if self.run.is_cancelled else {}
        super()._keep(freeze({**thaw(value), **outcome}))


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.result = Changed(self._changed)
        self.result.run = self
