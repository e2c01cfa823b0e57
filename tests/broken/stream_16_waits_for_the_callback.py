"""close waits until the callback of its tap has returned, unless it is called from there."""

import threading
from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event
from agent_run.stream import Callback, Tap
from agent_run.stream import Events as RightEvents

__all__ = ["Run", "events"]

BREAKS = ("STREAM-16", "STREAM-9")
SAYS = "did not come back"


class Waiting(Tap):
    def _call(self, callback: Callback | None, *args: Event) -> None:
        _busy[self] = threading.get_ident(), (returned := threading.Event())
        super()._call(callback, *args)
        del _busy[self]
        returned.set()

    def close(self) -> None:
        thread, returned = _busy.get(self, (0, None))
        if returned is not None and thread != threading.get_ident():
            returned.wait()
        super().close()


_busy: dict[Tap, tuple[int, threading.Event]] = {}


class Events(RightEvents):
    def tap(self, on_event: Callback, on_done: Callback | None = None, on_quit: Callback | None = None) -> Tap:
        tap = Waiting(self, on_event, on_done)
        with self._lock:
            if not self._over:
                self._taps += (tap,)
        self._wake()
        return tap


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Events(self._lock)
