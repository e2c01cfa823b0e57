"""The status is an enumeration, and what a callback throws is reported as the cause of another error."""

import logging
from collections.abc import Callable
from enum import Enum
from typing import Any

from agent_run import Promise, Tap, events
from agent_run import Run as ReferenceRun

__all__ = ["Run", "events"]
Callback = Callable[..., object]
log = logging.getLogger("asyncio")  # where those report who have a loop


class Status(str, Enum):  # noqa: UP042 - its text is Status.KEPT
    PLANNED = "planned"
    KEPT = "kept"


class SpokenPromise(Promise[Any]):
    @property
    def status(self) -> Any:
        return Status(super().status)


class CallbackFailed(Exception):
    pass


def reporting(callback: Callback) -> Callback:
    def reported(*values: Any) -> None:
        try:
            callback(*values)
        except Exception as error:
            failure = CallbackFailed("a subscriber failed")
            failure.__cause__ = error
            log.error("a callback failed", exc_info=failure)

    return reported


class Run(ReferenceRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.result, self.cancellation, self.drained = (SpokenPromise(self._changed) for _ in range(3))

    def tap(self, on_event: Callback, on_done: Callback | None = None, on_quit: Callback | None = None) -> Tap:
        return self.events.tap(reporting(on_event), on_done, on_quit)
