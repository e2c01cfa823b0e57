"""An event goes to all who were tapped when its turn came, also to those who have left since."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.crew import shielded
from agent_run.events import Event
from agent_run.stream import Callback, Tap
from agent_run.stream import Events as RightEvents

__all__ = ["Run", "events"]

BREAKS = ("STREAM-16",)
SAYS = "must not be handed it any more"


class Unchecked(Tap):
    def _call(self, callback: Callback | None, *args: Event) -> None:
        if callback is not None:
            shielded("a subscriber", callback, *args)


class Events(RightEvents):
    def tap(self, on_event: Callback, on_done: Callback | None = None, on_quit: Callback | None = None) -> Tap:
        tap = Unchecked(self, on_event, on_done)
        with self._lock:
            if not self._over:
                self._taps += (tap,)
        self._wake()
        return tap


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Events(self._lock)
