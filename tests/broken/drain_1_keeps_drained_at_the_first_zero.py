"""drained is kept as soon as no section is open, though the run goes on."""

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("DRAIN-1", "PROMISE-1")
SAYS = "drained was kept by work_done, though the run is open"


class Run(RightRun):
    def work_done(self) -> None:
        is_last = self._open_sections == 1 and not self._hooked
        super().work_done()
        if is_last and self.drained.status == "planned":
            with self._lock:
                self.drained._keep(True)
            self.drained._announce()

    _hooked = False

    def cancel(self) -> None:
        self._hooked = True
        super().cancel()
        self._hooked = False
