"""finish closes the run, then converts what it was given to text, and only then keeps the result."""

from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("FINISH-3",)
SAYS = "while a finish converts its value, an emit was refused and the run is not done"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._closed = False

    def emit(self, event: Event) -> bool:
        return not self._closed and super().emit(event)

    def finish(self, terminal: Event, **outcome: Any) -> bool:
        if not terminal.is_terminal:
            raise ValueError(f"{terminal.kind} is not a terminal event")
        self._closed = True
        self._line = f"finish with {outcome}"
        try:
            return super().finish(terminal, **outcome)
        finally:
            self._closed = self.is_done
