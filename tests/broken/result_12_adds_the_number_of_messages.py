"""The result has a key of the implementation's own."""

from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.plain import freeze, thaw
from agent_run.promise import Promise

__all__ = ["Run", "events"]

BREAKS = ("RESULT-12",)
SAYS = "which the contract does not name"


class Changed(Promise[dict[str, Any]]):
    def _keep(self, value: object) -> None:
        result = thaw(value)
        result["message-count"] = len(result["messages"])
        super()._keep(freeze(result))


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.result = Changed(self._changed)
