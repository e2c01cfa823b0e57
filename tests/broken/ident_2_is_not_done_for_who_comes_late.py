"""is_done turns back to false when somebody taps a stream that is over."""

from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("IDENT-2",)
SAYS = "when all is delivered and tapped again is_done is False; it must be True"


class Run:
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        self._run = RightRun(run_id, on_cancel)
        self._tapped_late = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run, name)

    @property
    def events(self) -> Any:
        self._tapped_late |= self._run.events._over
        return self._run.events

    @property
    def is_done(self) -> bool:
        return self._run.is_done and not self._tapped_late
