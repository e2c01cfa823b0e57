"""A run that is given the empty string as its id makes an id of its own."""

from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("IDENT-1",)
SAYS = "the run was given the id ''"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id or None, on_cancel)
