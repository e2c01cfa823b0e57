"""A cancel reaches every run that was given the same id."""

import weakref
from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("ISO-2",)
SAYS = "the cancel of one run"


class Run(RightRun):
    _all: "weakref.WeakSet[Run]" = weakref.WeakSet()

    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self._all.add(self)

    def cancel(self) -> None:
        for run in list(self._all):
            if run.id == self.id:
                RightRun.cancel(run)
