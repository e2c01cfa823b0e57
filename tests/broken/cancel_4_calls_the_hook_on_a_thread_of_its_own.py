"""the hook runs on a thread of its own, for which cancel waits."""

import threading
from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.crew import shielded

__all__ = ["Run", "events"]

BREAKS = ("CANCEL-4",)
SAYS = "the hook must be called on the thread of the cancel that won"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        if on_cancel:
            self._on_cancel = lambda: self._call(on_cancel)

    def _call(self, hook: Callable[[], object]) -> None:
        thread = threading.Thread(target=shielded, args=("the on-cancel hook", hook), daemon=True)
        thread.start()
        thread.join()
