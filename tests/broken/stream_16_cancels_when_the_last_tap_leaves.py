"""When the last tap leaves, nobody seems to want the run any more, and it is cancelled."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.stream import Callback, Tap

__all__ = ["Run", "events"]

BREAKS = ("STREAM-16",)
SAYS = "the last tap that leaves must not cancel the run"


class Leaving:
    def __init__(self, tap: Tap, run: RightRun) -> None:
        self._tap = tap
        self._run = run

    def close(self) -> None:
        self._tap.close()
        if not self._run.events._taps:
            self._run.cancel()


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._right_tap = self.events.tap
        self.events.tap = self._tap

    def _tap(self, *callbacks: Callback) -> Leaving:
        return Leaving(self._right_tap(*callbacks), self)
