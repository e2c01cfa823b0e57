"""Only ordinary exceptions of a subscriber are caught; any other ends the publisher."""

import contextlib
from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event
from agent_run.stream import Callback, Tap
from agent_run.stream import Events as RightEvents

__all__ = ["Run", "events"]

BREAKS = ("STREAM-8",)
SAYS = "it never came that done is handed"


class OrdinaryTap(Tap):
    def _call(self, callback: Callback | None, *args: Event) -> None:
        if callback is not None and not self._closed:
            with contextlib.suppress(Exception):
                callback(*args)


class Events(RightEvents):
    def tap(self, on_event: Callback, on_done: Callback | None = None, on_quit: Callback | None = None) -> Tap:
        tap = OrdinaryTap(self, on_event, on_done)
        with self._lock:
            if not self._over:
                self._taps += (tap,)
        self._wake()
        return tap


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Events(self._lock)
