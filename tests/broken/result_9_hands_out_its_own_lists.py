"""All readers get the same lists, so that one can change them for the others."""

from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.plain import thaw
from agent_run.promise import Promise

__all__ = ["Run", "events"]

BREAKS = ("RESULT-9",)
SAYS = "after a reader changed its value"


class Shared(Promise[dict[str, Any]]):
    shared: dict[str, Any]

    def _keep(self, value: object) -> None:
        self.shared = thaw(value)
        super()._keep(value)

    @property
    def value(self) -> dict[str, Any]:
        return self.shared if self.status == "kept" else super().value


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.result = Shared(self._changed)
