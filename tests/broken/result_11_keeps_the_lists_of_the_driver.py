"""The result holds the driver's own lists, and so what it does to them later."""

import copy
from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.plain import thaw
from agent_run.promise import Promise

__all__ = ["Run", "events"]

BREAKS = ("RESULT-11",)
SAYS = "after the driver changed what it had given"


class Aliasing(Promise[dict[str, Any]]):
    given: dict[str, Any]

    def _keep(self, value: object) -> None:
        result = thaw(value)
        own = {key: item for key, item in self.given.items() if key in result and key != "outcome"}
        super()._keep({**result, **own})

    @property
    def value(self) -> dict[str, Any]:
        return copy.deepcopy(super().value)


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.result = Aliasing(self._changed)

    def finish(self, terminal: events.Event, **outcome: Any) -> bool:
        if not self.is_done:
            self.result.given = outcome
        return super().finish(terminal, **outcome)
