"""An emit inside the callback of the terminal returns false, and yet its event is published."""

import threading
from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event, order, stamp
from agent_run.stream import Callback, Tap

__all__ = ["Run", "events"]

BREAKS = ("STREAM-6", "EMIT-4")
SAYS = "an event follows the terminal"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._at_the_terminal: dict[int, Callback] = {}
        self._right_tap = self.events.tap
        self.events.tap = self._tap

    def _tap(self, on_event: Callback, *others: Callback) -> Tap:
        def noticed(event: Event) -> None:
            if event.is_terminal:
                self._at_the_terminal[threading.get_ident()] = on_event
            try:
                on_event(event)
            finally:
                self._at_the_terminal.pop(threading.get_ident(), None)

        return self._right_tap(noticed, *others)

    def emit(self, event: Event) -> bool:
        on_event = self._at_the_terminal.get(threading.get_ident())
        if on_event is None:
            return super().emit(event)
        late = stamp(event, self.id)
        order(late, self._next_seq)
        on_event(late)
        return False
