"""a cancel keeps drained, though the driver has not even noticed it."""

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("DRAIN-1", "PROMISE-1")
SAYS = "drained was kept by cancel, though the run is open"


class Run(RightRun):
    def cancel(self) -> None:
        super().cancel()
        with self._lock:
            if self._open_sections == 0 and self.drained.status == "planned":
                self.drained._keep(True)
        self.drained._announce()
