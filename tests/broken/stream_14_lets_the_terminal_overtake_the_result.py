"""Inside the callback of the terminal, the result still looks planned."""

import threading
from collections.abc import Callable
from typing import Any, Literal

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event
from agent_run.promise import Promise
from agent_run.stream import Callback, Tap

__all__ = ["Run", "events"]

BREAKS = ("STREAM-14",)
SAYS = "the result must be kept in the terminal's callback"


class Late(Promise[Any]):
    too_early_for = 0

    @property
    def status(self) -> Literal["planned", "kept"]:
        return "planned" if threading.get_ident() == self.too_early_for else super().status


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.result = Late(self._changed)
        self._right_tap = self.events.tap
        self.events.tap = self._tap

    @property
    def is_done(self) -> bool:
        return super(Late, self.result).status == "kept"

    def _tap(self, on_event: Callback, *others: Callback) -> Tap:
        def early(event: Event) -> None:
            self.result.too_early_for = threading.get_ident() if event.is_terminal else 0
            try:
                on_event(event)
            finally:
                self.result.too_early_for = 0

        return self._right_tap(early, *others)
