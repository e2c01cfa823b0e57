"""The publisher signals done when it finds a closed run and an empty mailbox, though the terminal is still to come."""

from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event
from agent_run.stream import Events as RightEvents

from tests.broken.racy._parts import announce_the_end, place, stamped_for_finish

__all__ = ["Run", "events"]

BREAKS = ("STREAM-4", "STREAM-6", "STREAM-12")


class Events(RightEvents):
    _closed = False

    def _publish(self) -> None:
        while (work := self._take()) is not None:
            event, audience = work
            for tap in audience:
                tap._call(tap._on_event, event)
            if self._closed and not self._mailbox:
                with self._lock:
                    self._over, self._taps = True, ()
                for tap in audience:
                    tap._call(tap._on_done)


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._stream = Events(self._lock)
        self.events = self._stream

    def finish(self, terminal: Event, **outcome: Any) -> bool:
        stamped, result = stamped_for_finish(self, terminal, outcome)
        with self._lock:
            if self.is_done:
                return False
            self.result._keep(result)
            _hook, self._on_cancel = self._on_cancel, None
            self._stream._closed = True
        with self._lock:
            place(self, stamped)
            self._keep_drained_if_due()
        announce_the_end(self)
        return True
