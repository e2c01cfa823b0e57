"""emit inside a subscriber answers accepted, and the event is lost when the same callback ends the run."""

import threading
from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import Tap, events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("EMIT-1",)
SAYS = "published are log, run-completed; it must be log, token, run-completed"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._caller = 0
        self._held: list[Event] = []
        self._right_tap = self.events.tap
        self.events.tap = self._tap

    def _tap(self, on_event: Callable[[Event], object], *others: Callable[..., object]) -> Tap:
        def on_event_then_emit(event: Event) -> None:
            self._caller = threading.get_ident()
            try:
                on_event(event)
            finally:
                self._caller = 0
                held, self._held = self._held, []
                for each in held:
                    super(Run, self).emit(each)

        return self._right_tap(on_event_then_emit, *others)

    def emit(self, event: Event) -> bool:
        if self._caller != threading.get_ident() or self.is_done:
            return super().emit(event)
        self._held.append(event)
        return True
