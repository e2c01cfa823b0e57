"""Every run is entered in a register and never taken out again."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("ISO-3",)
SAYS = "runs that are over and dropped are freed"


class Run(RightRun):
    _all: list["Run"] = []

    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._all.append(self)
