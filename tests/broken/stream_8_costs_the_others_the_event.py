"""A throw ends the round of the event, so that the taps behind the one that throws miss it."""

import contextlib
from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.stream import Events as RightEvents

__all__ = ["Run", "events"]

BREAKS = ("STREAM-8",)
SAYS = "must be handed just log, token, token, run-failed, done"


class Events(RightEvents):
    def _publish(self) -> None:
        while (work := self._take()) is not None:
            event, audience = work
            with contextlib.suppress(BaseException):
                for tap in audience:
                    if not tap._closed:
                        tap._on_event(event)
            for tap in audience if event.is_terminal else ():
                tap._call(tap._on_done)


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Events(self._lock)
