"""the run-id that is stamped ends at the first space."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Self

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("EMIT-2",)
SAYS = "each must carry the run's"


class Cutting(deque[Event]):
    def __iadd__(self, accepted: Iterable[Event]) -> Self:
        for stamped in accepted:
            stamped.__dict__["run_id"] = str(stamped.run_id).partition(" ")[0]
            self.append(stamped)
        return self


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events._mailbox = Cutting()
