"""what the hook throws comes out of cancel."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("CANCEL-3", "STREAM-5")
SAYS = "raised Thrown"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._thrown: BaseException | None = None
        if on_cancel:
            self._on_cancel = lambda: self._call(on_cancel)

    def _call(self, hook: Callable[[], object]) -> None:
        try:
            hook()
        except BaseException as thrown:
            self._thrown = thrown

    def cancel(self) -> None:
        super().cancel()
        if self._thrown:
            raise self._thrown
