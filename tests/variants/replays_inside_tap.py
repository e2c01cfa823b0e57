"""The first tap is handed the backlog, and what comes meanwhile, before `tap` returns, on the thread that taps."""

from collections.abc import Callable

from agent_run import Events, Tap, events
from agent_run import Run as ReferenceRun

__all__ = ["Run", "events"]


class ReplayingEvents(Events):
    def _wake(self) -> None:
        if self._tapped:
            super()._wake()

    _tapped = False

    def tap(
        self,
        on_event: Callable[..., object],
        on_done: Callable[..., object] | None = None,
        on_quit: Callable[..., object] | None = None,
    ) -> Tap:
        with self._lock:
            first, self._tapped = not self._tapped, True
            self._publishing = self._publishing or first
        tap = super().tap(on_event, on_done, on_quit)
        if first:
            self._publish()
        return tap


class Run(ReferenceRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = ReplayingEvents(self._lock)
