"""Where the contract leaves a choice, this one refuses nothing that it can drop: the reference raises instead.

A wrong kind of event on a finished run is answered with false (decision 13), an unknown keyword is dropped, and a value
that is no plain data is kept as the same object (decision 21).
"""

import threading
from types import MappingProxyType
from typing import Any

from agent_run import Promise, events
from agent_run import Run as ReferenceRun
from agent_run.events import Event
from agent_run.plain import freeze, thaw

__all__ = ["Run", "events"]
KNOWN = {"final", "messages", "error", "attempts", "reason", "spent"}


def split(outcome: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The plain values and the others."""
    plain, foreign = {}, {}
    for name, value in outcome.items():
        try:
            plain[name] = thaw(freeze(value, name))
        except (TypeError, ValueError):
            foreign[name] = value
    return plain, foreign


class KeepingPromise(Promise[Any]):
    """Adds the values that are no plain data to every reader's copy, which is read-only."""

    foreign: dict[str, Any] = {}

    @property
    def value(self) -> Any:
        return MappingProxyType({**super().value, **self.foreign})


class Run(ReferenceRun):
    def __init__(self, run_id: str | None = None, on_cancel: Any = None) -> None:
        super().__init__(run_id, on_cancel)
        self.result = KeepingPromise(self._changed)
        self._finishing = threading.Lock()

    def emit(self, event: Event) -> bool:
        return False if self.is_done else super().emit(event)

    def finish(self, terminal: Event, **outcome: Any) -> bool:
        plain, foreign = split({name: value for name, value in outcome.items() if name in KNOWN})
        with self._finishing:  # nothing foreign runs in here: the plain values were copied above
            if self.is_done:
                return False
            self.result.foreign = foreign
            return super().finish(terminal, **plain)
