"""What is published while every tap is closed is dropped, the terminal too; only the first tap has a backlog."""

import contextlib
from collections.abc import Callable

from agent_run import Events, Tap, events
from agent_run import Run as ReferenceRun
from agent_run.events import Event

__all__ = ["Run", "capabilities", "events"]
capabilities = {"buffers_gaps": False}


class DroppingEvents(Events):
    _tapped = False

    def tap(
        self,
        on_event: Callable[..., object],
        on_done: Callable[..., object] | None = None,
        on_quit: Callable[..., object] | None = None,
    ) -> Tap:
        with self._lock:
            self._drop()
        tap = super().tap(on_event, on_done, on_quit)
        self._tapped = True  # only now: of two first taps at once, neither may drop the backlog of the other
        return tap

    def _take(self) -> tuple[Event, tuple[Tap, ...]] | None:
        while True:
            with self._lock:
                self._drop()
            with contextlib.suppress(IndexError):  # a tap has dropped what was about to be taken
                return super()._take()

    def _drop(self) -> None:
        self._tapped = self._tapped or bool(self._taps)
        if self._tapped and not self._taps and self._mailbox:
            self._over = self._over or self._mailbox[-1].is_terminal
            self._mailbox.clear()


class Run(ReferenceRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = DroppingEvents(self._lock)
