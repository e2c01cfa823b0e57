"""drained is not kept while a subscriber is being called."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("DRAIN-5", "STREAM-9")
SAYS = "run.drained is kept"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._publishes = False
        self._right_publish = self.events._publish
        self.events._publish = self._publish

    def _publish(self) -> None:
        self._publishes = True
        self._right_publish()
        self._publishes = False
        with self._lock:
            self._keep_drained_if_due()
        self.drained._announce()

    def _keep_drained_if_due(self) -> None:
        if not self._publishes:
            super()._keep_drained_if_due()
