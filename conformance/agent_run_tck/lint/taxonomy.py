"""GRAM-2: whether a record matches the taxonomy."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from typing import Any

from attrs import frozen

from agent_run_tck.index import taxonomy
from agent_run_tck.lint.findings import Report, shown

Record = dict[str, Any]
TS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)

_TYPES: Mapping[str, frozenset[type]] = {
    "integer": frozenset({int}),
    "number": frozenset({int, float}),
    "string": frozenset({str}),
    "boolean": frozenset({bool}),
    "object": frozenset({dict}),
    "array": frozenset({list}),
    "message object": frozenset({dict}),
    "string or object": frozenset({str, dict}),
    "any": frozenset({int, float, str, bool, dict, list}),
}


@frozen
class Key:
    """What the value of a key may be."""

    is_called: str
    types: frozenset[type]
    values: frozenset[str] = frozenset()
    closed: bool = False


@frozen
class Kind:
    keys: Mapping[str, Key]
    demanded: frozenset[str]
    """The keys that have to be there."""


_ENVELOPE = {name: Key(name_of, _TYPES[name_of]) for name, name_of in (
    ("kind", "string"), ("ts", "string"), ("run-id", "string"), ("seq", "integer"))}  # fmt: skip


@cache
def kinds() -> Mapping[str, Kind]:
    return {name: _kind(event["fields"]) for name, event in taxonomy().items()}


def _kind(fields: list[dict[str, Any]]) -> Kind:
    keys = {
        field["name"]: Key(
            field["type"], _TYPES[field["type"]], frozenset(field.get("values", ())), field.get("closed", False)
        )
        for field in fields
    }
    demanded = {field["name"] for field in fields if field["presence"] != "optional"}
    return Kind({**keys, **_ENVELOPE}, frozenset({"kind", "ts", *demanded}))


class Taxonomy:
    """Checks records; what is unknown is noted the first time."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._noted: set[object] = set()
        self._kinds = kinds()

    def check(self, record: Record, report: Report) -> bool:
        """Report what is wrong with the record; whether its kind is known, so that other rules can judge it."""
        name = record.get("kind")
        kind = self._kinds.get(name) if name.__class__ is str else None
        if kind is None:
            return self._unknown_kind(record, report)
        if not kind.demanded <= record.keys():
            missing = ", ".join(sorted(kind.demanded - record.keys()))
            report("GRAM-2", "error", f"{name} has no {missing}; it has to be there")
        keys = kind.keys
        for key, value in record.items():
            known = keys.get(key)
            if known is None:
                self._note_once((name, key), f"{name} has a key that the taxonomy does not know: {shown(key)}")
            elif value.__class__ not in known.types:
                self._wrong_type(key, value, known, record, report)
            elif known.values and value not in known.values:
                self._unlisted(key, value, known, record, report)
        _check_ts(record.get("ts"), report)
        return True

    def _unknown_kind(self, record: Record, report: Report) -> bool:
        name = record.get("kind")
        if isinstance(name, str):
            self._note_once(name, f"a kind that the taxonomy does not know: {shown(name)}")
        else:
            report("GRAM-2", "error", f"the record has {_found(name)} for kind; it has to be a string")
        return False

    def _wrong_type(self, key: str, value: Any, known: Key, record: Record, report: Report) -> None:
        if known.is_called == "integer" and isinstance(value, float) and value.is_integer():
            return  # JSON has one type of numbers
        advice = "leave the key out where there is no value" if value is None else f"it has to be {known.is_called}"
        report("GRAM-2", "error", f"{record['kind']} has {_found(value)} for {key}; {advice}")

    def _unlisted(self, key: str, value: Any, known: Key, record: Record, report: Report) -> None:
        if known.closed:
            listed = ", ".join(sorted(known.values))
            report("GRAM-2", "error", f"{record['kind']} has {shown(value)} for {key}; it has to be one of {listed}")
        else:
            self._note_once((record["kind"], key, value), f"a {key} that is not among the known ones: {shown(value)}")

    def _note_once(self, what: object, message: str) -> None:
        if what not in self._noted and len(self._noted) < MOST_NOTES:
            self._noted.add(what)
            self._note(message)


MOST_NOTES = 1000
"""So many unknown things are noted in one file; a file of nothing else must not fill the memory."""


def _check_ts(ts: Any, report: Report) -> None:
    if ts.__class__ is str and not _is_moment(ts):
        report("GRAM-2", "error", f"ts is {shown(ts)}; it has to be a moment such as 2026-08-09T13:10:08.542283Z")


def _is_moment(ts: str) -> bool:
    if TS.fullmatch(ts) is None:
        return False
    try:
        datetime.fromisoformat(ts)
    except ValueError:  # there is no such day or hour
        return False
    return True


def _found(value: Any) -> str:
    return "null" if value is None else shown(value)
