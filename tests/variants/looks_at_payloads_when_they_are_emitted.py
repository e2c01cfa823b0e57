"""One record for the events of all kinds, which looks into its payload only when it is emitted or flattened.

The reference refuses at construction what is no plain data; this one refuses it at the latest moment that is allowed,
and what only looks like plain data becomes plain data. Fields and closed values are looked at when an event is made.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from agent_run import Run as ReferenceRun
from agent_run import events
from agent_run_tck.events.fields import fields, is_closed


def plain_data(value: Any) -> Any:
    """The plain data that the value is or looks like. Raises TypeError, or RecursionError for a cycle."""
    if isinstance(value, Mapping):
        return {plain_key(key): plain_data(item) for key, item in value.items()}
    if isinstance(value, list | tuple | range):
        return [plain_data(item) for item in value]
    for of_class in (bool, int, float, str):
        if isinstance(value, of_class):
            return of_class(value)
    if value is not None and not isinstance(value, Decimal):
        raise TypeError(f"{type(value).__name__} is no plain data")
    return None if value is None else float(value)


def plain_key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"{type(key).__name__} is no class of keys")
    return str(key)


@dataclass(frozen=True)
class Record:
    kind: str
    payload: dict[str, Any]
    ts: datetime

    def __post_init__(self) -> None:
        known = {field["name"]: field for field in fields(self.kind)}
        for name, field in known.items():
            value = self.payload.get(name)
            missing = field["presence"] == "required" and value is None
            if missing or (is_closed(field) and value is not None and value not in field["values"]):
                raise ValueError(f"{name} of {self.kind} cannot be {value!r}")
        if not self.payload.keys() <= known.keys():
            raise TypeError(f"the fields of {self.kind} are {', '.join(known)}")

    def of_reference(self) -> Any:
        return events.make(self.kind, plain_data(self.payload), self.ts)


class Run(ReferenceRun):
    def emit(self, event: Any) -> bool:
        return super().emit(event.of_reference() if isinstance(event, Record) else event)

    def finish(self, terminal: Any, **outcome: Any) -> bool:
        return super().finish(terminal.of_reference() if isinstance(terminal, Record) else terminal, **outcome)

    def tap(self, *callbacks: Callable[..., object]) -> Any:
        return self.events.tap(*callbacks)


class Adapter:
    capabilities = {"events": True, "given_ts": True, "star_import": True}
    event_module = __name__
    create_run = Run

    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Record:
        return self.make_event_at(kind, payload, datetime.now(UTC))

    def make_event_at(self, kind: str, payload: Mapping[str, Any], ts: datetime) -> Record:
        return Record(kind, copy.deepcopy(dict(payload)), ts)

    def plain(self, event: Any) -> dict[str, Any]:
        made = event.of_reference() if isinstance(event, Record) else event
        return dict(made.plain())


tck_adapter = Adapter
