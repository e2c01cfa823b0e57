"""GRAM-2: whether a record matches the taxonomy."""

import re
from collections.abc import Callable, Mapping
from datetime import date
from functools import cache, lru_cache
from typing import Any

from attrs import frozen

from agent_run_tck.index import envelope, taxonomy
from agent_run_tck.lint.findings import Report, shown

Record = dict[str, Any]
DEMANDED = ("required", "always", "every event")
TS = re.compile(r"(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z", re.ASCII)

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


NOTHING: frozenset[type] = frozenset()


@frozen
class Kind:
    """What is demanded of the records of a kind, as tables that are quick to look into."""

    fields: Mapping[str, Mapping[str, Any]]
    types: Mapping[str, frozenset[type]]
    values: Mapping[str, frozenset[str]]
    """Of the keys that have a set of values, closed or not."""
    omitted: frozenset[str]
    """The keys that are not there when they are empty."""
    demanded: frozenset[str]
    """The keys that have to be there."""


@cache
def kinds() -> Mapping[str, Kind]:
    return {name: _kind(event["fields"]) for name, event in taxonomy().items()}


def _kind(payload: list[dict[str, Any]]) -> Kind:
    fields = {field["name"]: field for field in (*envelope(), *payload)}
    return Kind(
        fields,
        types={name: _TYPES[field["type"]] for name, field in fields.items()},
        values={name: frozenset(field["values"]) for name, field in fields.items() if "values" in field},
        omitted=frozenset(name for name, field in fields.items() if field.get("empty") == "omitted"),
        demanded=frozenset(name for name, field in fields.items() if field["presence"] in DEMANDED),
    )


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
        types = kind.types
        for key, value in record.items():
            if value.__class__ not in types.get(key, NOTHING):
                self._odd(kind, key, record, report)
        for key, values in kind.values.items():
            if key in record and record[key].__class__ is str and record[key] not in values:
                self._unlisted(kind, key, record, report)
        for key in kind.omitted:
            if record.get(key) == {}:
                report("GRAM-2", "error", f"{name} has an empty {key}; leave the key out where there is nothing in it")
        _check_ts(record.get("ts"), report)
        return True

    def _unknown_kind(self, record: Record, report: Report) -> bool:
        name = record.get("kind")
        if isinstance(name, str):
            self._note_once(name, f"a kind that the taxonomy does not know: {shown(name)}")
        else:
            found = (
                f"{shown(name)} for kind; it has to be a string" if "kind" in record else "no kind; it has to be there"
            )
            report("GRAM-2", "error", f"the record has {found}")
        return False

    def _odd(self, kind: Kind, key: str, record: Record, report: Report) -> None:
        name, value = record["kind"], record[key]
        if key not in kind.fields:
            self._note_once((name, key), f"{name} has a key that the taxonomy does not know: {shown(key)}")
            return
        of_type = kind.fields[key]["type"]
        if of_type == "integer" and isinstance(value, float) and value.is_integer():
            return  # JSON has one type of numbers
        optional = kind.fields[key]["presence"] == "optional"
        leave_out = "leave the key out where there is no value"
        advice = leave_out if value is None and optional else f"it has to be of type {of_type}"
        report("GRAM-2", "error", f"{name} has {shown(value)} for {key}; {advice}")

    def _unlisted(self, kind: Kind, key: str, record: Record, report: Report) -> None:
        name, value = record["kind"], record[key]
        if kind.fields[key]["closed"]:
            listed = ", ".join(kind.fields[key]["values"])
            report("GRAM-2", "error", f"{name} has {shown(value)} for {key}; it has to be one of {listed}")
        else:
            self._note_once((name, key, value), f"a {key} that is not among the known ones: {shown(value)}")

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
    match = TS.fullmatch(ts)
    return match is not None and _is_day(match[1])


@lru_cache(1000)
def _is_day(day: str) -> bool:
    try:
        date.fromisoformat(day)
    except ValueError:  # there is no such day
        return False
    return True
