"""What the hook emits, or finishes the run with, is delivered on the thread of cancel."""

import threading
from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("STREAM-10",)
SAYS = "a subscriber is called by the thread that is inside emit or finish"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel and self._inside(on_cancel))
        self._hook_thread = 0
        self._right_wake = self.events._wake
        self.events._wake = self._wake

    def _inside(self, hook: Callable[[], object]) -> Callable[[], None]:
        def inside() -> None:
            self._hook_thread = threading.get_ident()
            hook()
            self._hook_thread = 0

        return inside

    def _wake(self) -> None:
        if self._hook_thread != threading.get_ident():
            self._right_wake()
        elif not self.events._publishing and self.events._taps:
            self.events._publishing = True
            self.events._publish()
