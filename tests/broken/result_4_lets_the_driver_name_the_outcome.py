"""The outcome that the driver passes wins over the class of the terminal."""

from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.plain import freeze, thaw
from agent_run.promise import Promise

__all__ = ["Run", "events"]

BREAKS = ("RESULT-4",)
SAYS = "with outcome="


class Changed(Promise[dict[str, Any]]):
    named: str | None = None

    def _keep(self, value: object) -> None:
        result = thaw(value)
        result["outcome"] = self.named or result["outcome"]
        super()._keep(freeze(result))


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.result = Changed(self._changed)

    def finish(self, terminal: events.Event, **outcome: Any) -> bool:
        self.result.named = outcome.get("outcome")
        return super().finish(terminal, **outcome)
