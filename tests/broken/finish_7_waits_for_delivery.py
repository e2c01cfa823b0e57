"""finish waits until all that was emitted before is delivered, and gives up only after a while."""

import threading
from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("FINISH-7", "LEAF-1", "LEAF-4", "STREAM-9")
SAYS = "while a subscriber blocks"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._publisher = 0
        self._delivered = threading.Event()
        self._delivered.set()
        self._right_publish = self.events._publish
        self.events._publish = self._publish

    def _publish(self) -> None:
        self._publisher = threading.get_ident()
        self._delivered.clear()
        self._right_publish()
        self._delivered.set()

    def finish(self, terminal: Event, **outcome: Any) -> bool:
        undelivered = self.events._publishing and len(self.events._mailbox) > 0
        if undelivered and self._publisher != threading.get_ident():
            self._delivered.wait(timeout=6)
        return super().finish(terminal, **outcome)
