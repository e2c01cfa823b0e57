"""What comes while every tap is closed waits for the next one, newest first."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event
from agent_run.stream import Callback, Tap

__all__ = ["Run", "events"]

BREAKS = ("STREAM-7",)
SAYS = "what is emitted between two taps must be dropped or kept in order"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._right_tap = self.events.tap
        self.events.tap = self._tap
        self._tapped = False

    def _tap(self, *callbacks: Callback) -> Tap:
        self._tapped = True
        return self._right_tap(*callbacks)

    def emit(self, event: Event) -> bool:
        accepted = super().emit(event)
        if self._tapped and not self.events._taps:
            self.events._mailbox.rotate(1)
        return accepted
