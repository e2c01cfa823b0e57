"""A tap that is made while another one has the terminal and waits for done gets both (decision 19)."""

from collections.abc import Callable

from agent_run import Events, Tap, events
from agent_run import Run as ReferenceRun
from agent_run.events import Event

__all__ = ["Run", "events"]
Callback = Callable[..., object]


class PatientEvents(Events):
    _ending: tuple[Tap, ...] = ()
    _late: tuple[Tap, ...] = ()

    def tap(self, on_event: Callback, on_done: Callback | None = None, on_quit: Callback | None = None) -> Tap:
        with self._lock:
            if any(not tap._closed for tap in self._ending):
                tap = Tap(self, on_event, on_done)
                self._late += (tap,)
                return tap
        return super().tap(on_event, on_done, on_quit)

    def _publish(self) -> None:
        while (work := self._take()) is not None:
            event, audience = work
            self._ending = audience if event.is_terminal else ()
            for tap in audience:
                tap._call(tap._on_event, event)
            if event.is_terminal:
                self._end(event, audience)

    def _end(self, terminal: Event, audience: tuple[Tap, ...]) -> None:
        while late := self._latecomers():
            for tap in late:
                tap._call(tap._on_event, terminal)
            audience += late
        for tap in audience:
            tap._call(tap._on_done)

    def _latecomers(self) -> tuple[Tap, ...]:
        with self._lock:
            late, self._late = self._late, ()
            if not late:
                self._ending = ()  # from now on a tap is handed nothing
            return late


class Run(ReferenceRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = PatientEvents(self._lock)
