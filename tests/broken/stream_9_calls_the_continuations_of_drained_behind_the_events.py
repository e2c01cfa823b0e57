"""The continuations of drained stand in line behind the events that are not delivered."""

from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events
from agent_run.promise import Promise
from agent_run.stream import Events

__all__ = ["Run", "events"]

BREAKS = ("STREAM-9",)
SAYS = "the continuation of drained is called"


class Behind(Promise[Any]):
    events: Events

    def _announce(self) -> None:
        if not self.events._publishing:
            super()._announce()


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.drained = Behind(self._changed)
        self.drained.events = self.events
        self._right_publish = self.events._publish
        self.events._publish = self._publish

    def _publish(self) -> None:
        self._right_publish()
        self.drained._announce()
