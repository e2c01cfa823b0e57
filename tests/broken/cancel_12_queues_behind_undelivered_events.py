"""cancel waits its turn behind the events that are not delivered yet, and gives up only after a while."""

import threading
from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("CANCEL-12", "LEAF-1", "LEAF-4", "STREAM-9")
SAYS = "cancel, while events wait behind a blocked subscriber, did not come back"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._at_rest = threading.Event()
        self._publisher = 0
        self._right_publish = self.events._publish
        self.events._publish = self._publish

    def _publish(self) -> None:
        self._publisher = threading.get_ident()
        self._at_rest.clear()
        self._right_publish()
        self._at_rest.set()

    def cancel(self) -> None:
        if self.events._publishing and self._publisher != threading.get_ident():
            self._at_rest.wait(timeout=6)
        super().cancel()
