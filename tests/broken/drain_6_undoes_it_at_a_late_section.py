"""a refused work_begin makes drained planned again."""

from agent_run import Run as RightRun
from agent_run import events
from agent_run.promise import _PLANNED

__all__ = ["Run", "events"]

BREAKS = ("DRAIN-6",)
SAYS = "a late work_begin undid drained"


class Run(RightRun):
    def work_begin(self) -> bool:
        granted = super().work_begin()
        if not granted:
            self.drained._value = _PLANNED
        return granted
