"""The result of a cancelled run that fails is broken instead of kept."""

from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.promise import Promise

__all__ = ["Run", "events"]

BREAKS = ("RESULT-1", "IDENT-2", "RESULT-4", "FINISH-6")
SAYS = "is broken; it must be kept"


class Breaking(Promise[dict[str, Any]]):
    breaks = False

    @property
    def status(self) -> Any:
        status = super().status
        return "broken" if self.breaks and status == "kept" else status


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.result = Breaking(self._changed)

    @property
    def is_done(self) -> bool:
        return self.result.status != "planned"

    def finish(self, terminal: events.Event, **outcome: Any) -> bool:
        self.result.breaks |= not self.is_done and self.is_cancelled and terminal.kind == "run-failed"
        return super().finish(terminal, **outcome)
