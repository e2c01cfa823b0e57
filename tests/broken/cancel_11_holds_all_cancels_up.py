"""a second cancel waits until the hook of the first one has returned."""

import threading
from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("CANCEL-11", "LEAF-2", "LEAF-4")
SAYS = "a second cancel, while the hook of the first one blocks, did not come back"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._cancelling = threading.RLock()

    def cancel(self) -> None:
        with self._cancelling:
            super().cancel()
