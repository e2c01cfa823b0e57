"""finish waits until the hook of a cancel has returned, and gives up only after a while."""

import threading
from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("FINISH-7", "CANCEL-11")
SAYS = "finish, while the hook blocks, did not come back"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._at_rest = threading.Event()
        self._at_rest.set()
        self._canceller = 0

    def cancel(self) -> None:
        self._canceller = threading.get_ident()
        self._at_rest.clear()
        super().cancel()
        self._at_rest.set()

    def finish(self, terminal: Event, **outcome: Any) -> bool:
        if self._canceller != threading.get_ident():
            self._at_rest.wait(timeout=3)
        return super().finish(terminal, **outcome)
