"""a finish with run-cancelled leaves drained to be kept when somebody next asks for it."""

from typing import Any

from agent_run import Promise, events
from agent_run import Run as RightRun
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("DRAIN-2", "ISO-3")
SAYS = "the continuation of drained is called, without any further operation"


class Run(RightRun):
    _owed = False
    _leaves_it = False

    @property
    def drained(self) -> Promise[Any]:
        if self._owed:
            self._owed = False
            with self._lock:
                self._drained._keep(True)
            self._drained._announce()
        return self._drained

    @drained.setter
    def drained(self, promise: Promise[Any]) -> None:
        self._drained = promise

    def _keep_drained_if_due(self) -> None:
        if not self._leaves_it:
            super()._keep_drained_if_due()

    def finish(self, terminal: Event, **outcome: Any) -> bool:
        self._leaves_it = getattr(terminal, "kind", "") == "run-cancelled" and not (self._open_sections or self.is_done)
        accepted = super().finish(terminal, **outcome)
        self._owed = accepted and self._leaves_it
        return accepted
