"""the stamp takes the clock anew, so the time of creation is lost."""

from collections import deque
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Self

from agent_run import Run as RightRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]

BREAKS = ("EMIT-8",)
SAYS = "they must keep the ts of their creation"


class Dating(deque[Event]):
    def __iadd__(self, accepted: Iterable[Event]) -> Self:
        for stamped in accepted:
            stamped.__dict__["ts"] = datetime.now(UTC)
            self.append(stamped)
        return self


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events._mailbox = Dating()
