"""A run that fails after a cancel ends its stream in an error."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events
from agent_run.stream import Callback, Tap

__all__ = ["Run", "events"]

BREAKS = ("STREAM-5",)
SAYS = "ends in quit"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._right_tap = self.events.tap
        self.events.tap = self._tap

    def _tap(self, on_event: Callback, on_done: Callback, on_quit: Callback) -> Tap:
        def end() -> None:
            on_done()
            if self.is_cancelled and self.result.value["outcome"] == "failed":
                on_quit(RuntimeError("the run failed"))

        return self._right_tap(on_event, end, on_quit)
