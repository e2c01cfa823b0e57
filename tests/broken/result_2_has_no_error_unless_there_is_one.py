"""The keys error and reason are absent from a result that has neither."""

from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.plain import freeze, thaw
from agent_run.promise import Promise

__all__ = ["Run", "events"]

BREAKS = ("RESULT-2", "RESULT-3")
SAYS = "all six keys are always present"


class Changed(Promise[dict[str, Any]]):
    def _keep(self, value: object) -> None:
        result = thaw(value)
        for key in ("error", "reason"):
            if result[key] is None:
                del result[key]
        super()._keep(freeze(result))


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.result = Changed(self._changed)
