"""close takes itself out of the taps that it read before the lock, and with it whoever came meanwhile."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.stream import Callback, Tap
from agent_run.stream import Events as RightEvents

__all__ = ["Run", "events"]

BREAKS = ("STREAM-13", "STREAM-2", "STREAM-4")


class Leaving(Tap):
    def close(self) -> None:
        self._closed = True
        others = tuple(tap for tap in self._events._taps if tap is not self)
        with self._events._lock:
            self._events._taps = others if self._events._taps else ()


class Events(RightEvents):
    def tap(self, on_event: Callback, on_done: Callback | None = None, on_quit: Callback | None = None) -> Tap:
        tap = Leaving(self, on_event, on_done)
        with self._lock:
            if not self._over:
                self._taps += (tap,)
        self._wake()
        return tap


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Events(self._lock)
