"""a failed run that had sections grants new ones to clean up, once drained is kept."""

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("DRAIN-7",)
SAYS = "work_begin replied true after drained was kept"


class Run(RightRun):
    _ever_opened = False

    def work_begin(self) -> bool:
        granted = super().work_begin()
        self._ever_opened = self._ever_opened or granted
        drained = self.drained.status == "kept"
        return granted or (drained and self._ever_opened and self.result.value["outcome"] == "failed")
