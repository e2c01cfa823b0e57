"""Reads recordings of runs (spec/trace.schema.json), and refuses what is none in one line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

TRACE_VERSION = 1
GREATEST_SEQ = 1_000_000_000  # TLC counts up to 2 ** 31 - 1
Record = dict[str, Any]
T = TypeVar("T")


class BadTrace(Exception):
    """A file that is no recording; the text says where, why and what to do, on one line."""


@dataclass(frozen=True)
class Trace:
    """A recording: record k stands in line k + 2 of the file."""

    path: Path
    header: Record
    records: list[Record]


# --- what a line may be -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Is:
    """What a value has to be, in words, and the test of it."""

    words: str
    test: Callable[[Any], bool]


def _is_integer(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


NUMBER = Is("an integer from 1 on", lambda value: _is_integer(value, 1))
SEQ = Is(
    f"an integer from 0 to {GREATEST_SEQ}, or null",
    lambda value: value is None or (_is_integer(value, 0) and value <= GREATEST_SEQ),
)
CALL = Is("an integer from 1 on, or null", lambda value: value is None or _is_integer(value, 1))
TEXT = Is("a string", lambda value: isinstance(value, str))
FLAG = Is("true or false", lambda value: isinstance(value, bool))
OBJECT = Is("an object", lambda value: isinstance(value, dict))
TRUE = Is("true", lambda value: value is True)
REPLY = Is("true, false, null or a string", lambda value: value is None or isinstance(value, bool | str))
VALUE = REPLY


def _one_of(*names: str) -> Is:
    return Is(f"one of {', '.join(names)}", lambda value: isinstance(value, str) and value in names)


LOOKS = ("is_done", "is_cancelled", "result", "cancellation", "drained")
PROMISES = _one_of("result", "cancellation", "drained")
ARGUMENTS: Mapping[str, Mapping[str, Is]] = {
    "emit": {"kind": TEXT},
    "finish": {"kind": TEXT},
    "tap": {"tap": NUMBER},
    "close": {"tap": NUMBER},
    **{name: {} for name in ("work_begin", "work_done", "cancel", *LOOKS)},
}
OPERATIONS = _one_of(*ARGUMENTS)

# The field that a kind of record is known by, and all that such a record has.
KINDS: Mapping[str, Mapping[str, Is]] = {
    "call": {"call": OPERATIONS, "id": NUMBER},
    "return": {"return": NUMBER, "reply": REPLY},
    "handed": {"tap": NUMBER, "handed": SEQ, "of": CALL},
    "let_go": {"tap": NUMBER, "let_go": SEQ},
    "done": {"tap": NUMBER, "done": TRUE},
    "quit": {"tap": NUMBER, "quit": TEXT},
    "hook": {"hook": _one_of("called", "returned")},
    "kept": {"kept": PROMISES, "value": VALUE},
    "end": {"end": TRUE, "settled": FLAG},
}
HEADER: Mapping[str, Is] = {
    "trace": NUMBER,
    "contract": TEXT,
    "implementation": TEXT,
    "hook": FLAG,
    "threads": FLAG,
}
OPTIONAL: Mapping[str, Mapping[str, Is]] = {
    "header": {"program": OBJECT},
    "return": {"error": TEXT},
    "end": {"unexplained": OBJECT},
}


def kind_of(record: Mapping[str, Any]) -> str:
    """The kind of a record; ValueError when there is no such kind."""
    found = [kind for kind in KINDS if kind in record]
    if len(found) != 1:
        raise ValueError(f"unknown kind of record; each has just one of {', '.join(KINDS)}")
    return found[0]


def _fields(record: Mapping[str, Any], wanted: Mapping[str, Is], optional: Mapping[str, Is]) -> None:
    for name, must in wanted.items():
        if name not in record:
            raise ValueError(f"{name} is missing; it must be {must.words}")
    for name, value in record.items():
        must = wanted.get(name) or optional.get(name)
        if must is None:
            raise ValueError(f"there is no field {name} in such a record; leave it out")
        if not must.test(value):
            raise ValueError(f"{name} is {json.dumps(value)}; it must be {must.words}")


def check_record(record: Mapping[str, Any]) -> str:
    """The kind of a record that is as the schema says; ValueError when it is not."""
    kind = kind_of(record)
    wanted = {"n": NUMBER, **({} if kind == "end" else {"thread": TEXT}), **KINDS[kind]}
    if kind == "call" and OPERATIONS.test(record["call"]):
        wanted = {**wanted, **ARGUMENTS[record["call"]]}
    _fields(record, wanted, OPTIONAL.get(kind, {}))
    return kind


def check_header(header: Mapping[str, Any], contract: str) -> None:
    """ValueError when the first line is no header, or one of another version."""
    if "trace" not in header:
        raise ValueError("the first line has no trace: it is no recording; write one with agent_run_tck.recording")
    if header["trace"] != TRACE_VERSION or isinstance(header["trace"], bool):
        raise ValueError(f"trace is {json.dumps(header['trace'])}; only version {TRACE_VERSION} can be read")
    _fields(header, HEADER, OPTIONAL["header"])
    if header["contract"] != contract:
        raise ValueError(f"it is of contract {header['contract']}, the model of {contract}; record it again")


# --- what the lines may be together -----------------------------------------------------------------------


@dataclass
class Order:
    """What was seen up to a line, to tell what cannot follow."""

    lines: int = 0
    called: dict[int, str] = field(default_factory=dict)
    in_flight: set[int] = field(default_factory=set)
    taps: set[int] = field(default_factory=set)
    ended: bool = False

    def follow(self, kind: str, record: Mapping[str, Any]) -> None:
        """Take one more record in; ValueError when it cannot come here."""
        self.lines += 1
        if self.ended:
            raise ValueError("there is something after the end; take it away")
        if record["n"] != self.lines:
            raise ValueError(f"n is {record['n']} where {self.lines} is next: a line is missing or out of order")
        if kind == "call":
            self._call(record)
        elif kind == "return":
            self._return(record["return"])
        elif "tap" in record and record["tap"] not in self.taps:
            raise ValueError(f"tap {record['tap']} was never called")
        self.ended = kind == "end"
        if self.ended and self.in_flight:
            raise ValueError(f"call {min(self.in_flight)} has not returned; record until every call has")

    def check_end(self) -> None:
        """ValueError when there was no end."""
        if not self.ended:
            raise ValueError("the file is cut off: its last line is no end; record it again")

    def _call(self, record: Mapping[str, Any]) -> None:
        call = record["id"]
        if call in self.called:
            raise ValueError(f"id {call} was called before; each call has an id of its own")
        self.called[call] = record["call"]
        self.in_flight.add(call)
        if record["call"] == "tap":
            if record["tap"] in self.taps:
                raise ValueError(f"tap {record['tap']} was made before; each has a number of its own")
            self.taps.add(record["tap"])
        elif record["call"] == "close" and record["tap"] not in self.taps:
            raise ValueError(f"tap {record['tap']} was never called")

    def _return(self, call: int) -> None:
        if call not in self.called:
            raise ValueError(f"id {call} was never called")
        if call not in self.in_flight:
            raise ValueError(f"id {call} has returned before")
        self.in_flight.remove(call)


def _object(line: str) -> Record:
    try:
        found = json.loads(line)
    except ValueError as error:
        raise ValueError(f"this is no JSON ({error}); every line is one JSON object") from None
    except RecursionError:
        raise ValueError("this is nested too deeply; every line is one flat JSON object") from None
    if not isinstance(found, dict):
        raise ValueError("this is no JSON object; every line is one")
    return found


def _check_origin(order: Order, record: Mapping[str, Any]) -> None:
    call = record.get("of")
    if call is not None and order.called.get(call) not in ("emit", "finish"):
        raise ValueError(f"id {call} was never called as emit or finish, so no event can be of it")


def read(path: Path, contract: str) -> Trace:
    """The recording in a file; BadTrace when it is none, or of another version of the contract."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadTrace(f"{path}: it cannot be read ({error})") from error
    header = _at(path, 1, lambda: _header(lines, contract))
    order = Order()
    records = [_at(path, at, partial(_record, line, order)) for at, line in enumerate(lines[1:], 2)]
    _at(path, len(lines), order.check_end)
    for at, record in enumerate(records, 2):
        _at(path, at, partial(_check_origin, order, record))
    return Trace(path, header, records)


def _at(path: Path, line: int, action: Callable[[], T]) -> T:
    try:
        return action()
    except ValueError as error:
        raise BadTrace(f"{path}:{line}: {error}") from None


def _header(lines: Sequence[str], contract: str) -> Record:
    header = _object(lines[0] if lines else "{}")
    check_header(header, contract)
    return header


def _record(line: str, order: Order) -> Record:
    record = _object(line)
    order.follow(check_record(record), record)
    return record
