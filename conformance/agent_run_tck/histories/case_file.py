"""A failing case as one file of JSON Lines: a recording, with the program that it is of and what was not allowed.

`spec/trace.schema.json` says what the lines are; any other recording can be read likewise.
"""

import json
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from agent_run_tck.histories.explain import Explanation
from agent_run_tck.histories.history import History, kind_of
from agent_run_tck.histories.program import ParallelProgram
from agent_run_tck.index import contract_version, spec_text
from agent_run_tck.recording import TRACE_VERSION, Record

TYPES: Mapping[str, type] = {"string": str, "boolean": bool, "null": type(None), "object": dict, "integer": int}


class BadFile(Exception):
    """A file that is no recording; the text says where, why and what to do, on one line."""


@frozen
class CaseFile:
    """What stands in a file; `program` is None where nobody has written one."""

    history: History
    program: ParallelProgram | None


def write(path: Path, history: History, program: ParallelProgram, why: Mapping[str, Any]) -> None:
    """Write a case. `why` goes into the end: what cannot be explained, and what the contract allows."""
    header = {**history.header, "program": program.as_data()}
    *records, end = history.records
    lines = [header, *records, {**end, "unexplained": dict(why)}]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")


def reason(history: History, explanation: Explanation) -> dict[str, Any]:
    """What the end of a case says of a record that cannot be explained."""
    return {
        "n": history.records[explanation.at]["n"],
        "why": explanation.problem,
        "allowed": list(explanation.allowed),
        "requirements": list(explanation.requirements),
    }


def read(path: Path) -> CaseFile:
    """A case or another recording; raises BadFile."""
    try:
        lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadFile(f"{path}: it cannot be read ({error})") from None
    order = _Order()
    header = _at(path, 1, partial(_header, lines[0]))
    records = [_at(path, number, partial(order.next, line)) for number, line in enumerate(lines[1:], 2)]
    _at(path, len(lines), order.end)
    program = _at(path, 1, lambda: ParallelProgram.from_data(header["program"]) if "program" in header else None)
    return CaseFile(History(header, records), program)


def _at(path: Path, line: int, action: Any) -> Any:
    try:
        return action()
    except ValueError as error:
        raise BadFile(f"{path}:{line}: {error}") from None


def _header(line: str) -> Record:
    header = _object(line)
    if "trace" not in header:
        raise ValueError("the first line has no trace, so this is no recording; give the file that a failure has named")
    if header["trace"] != TRACE_VERSION or isinstance(header["trace"], bool):
        raise ValueError(f"trace is {json.dumps(header['trace'])}; only version {TRACE_VERSION} can be read")
    _check_fields(header, "header")
    if header["contract"] != contract_version():
        raise ValueError(
            f"it is of contract {header['contract']}, and this kit of {contract_version()}; record it anew"
        )
    return header


def _object(line: str) -> Record:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"this is no JSON ({error}); every line is one JSON object") from None
    if not isinstance(found, dict):
        raise ValueError("this is no JSON object; every line is one")
    return found


# --- what the schema says of a line -------------------------------------------------------------------------------


@cache
def _schema() -> Mapping[str, Any]:
    return dict(json.loads(spec_text("trace.schema.json"))["$defs"])


def _check(record: Record) -> None:
    try:
        kind = kind_of(record)
    except StopIteration:
        raise ValueError("this is no kind of record that there is; spec/trace.schema.json has them all") from None
    if kind == "call":
        kind = {
            "emit": "call_with_event",
            "finish": "call_with_event",
            "tap": "call_on_tap",
            "close": "call_on_tap",
        }.get(str(record["call"]), "call")
    _check_fields(record, kind)


def _check_fields(record: Record, kind: str) -> None:
    schema = _schema()[kind]
    for name in schema["required"]:
        if name not in record:
            raise ValueError(f"{name} is missing in this {kind}")
    for name, value in record.items():
        if name not in schema["properties"]:
            raise ValueError(f"there is no field {name} in a {kind}; leave it out")
        _check_value(name, value, schema["properties"][name])


def _check_value(name: str, value: Any, schema: Mapping[str, Any]) -> None:
    if "$ref" in schema:
        schema = _schema()[schema["$ref"].rpartition("/")[2]]
    wanted = schema.get("enum", [schema["const"]] if "const" in schema else None)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if wanted is not None and not any(value == one and type(value) is type(one) for one in wanted):
        raise ValueError(f"{name} is {json.dumps(value)}; it must be {' or '.join(map(json.dumps, wanted))}")
    if types and type(value) not in [TYPES[one] for one in types]:
        raise ValueError(f"{name} is {json.dumps(value)}; it must be of type {' or '.join(types)}")
    if type(value) is int and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        raise ValueError(f"{name} is {value}; it must be {schema.get('minimum')} or more, and not too large")


# --- what the lines may be together -------------------------------------------------------------------------------


@define
class _Order:
    """What was seen up to a line, to tell what cannot follow."""

    _lines: int = 0
    _called: dict[int, str] = field(factory=dict)
    _in_flight: set[int] = field(factory=set)
    _taps: set[int] = field(factory=set)
    _ended: bool = False

    def next(self, line: str) -> Record:
        record = _object(line)
        _check(record)
        self._lines += 1
        if self._ended:
            raise ValueError("there is something after the end; take it away")
        if record["n"] != self._lines:
            raise ValueError(f"n is {record['n']} where {self._lines} is next: a line is missing or out of order")
        if "call" in record:
            self._call(record)
        elif "return" in record:
            if record["return"] not in self._in_flight:
                raise ValueError(f"call {record['return']} is not under way, so it cannot return")
            self._in_flight.remove(record["return"])
        else:
            self._callback(record)
        self._ended = "end" in record
        return record

    def end(self) -> None:
        if not self._ended:
            raise ValueError("the file is cut off: its last line is no end; record it anew")

    def _call(self, record: Record) -> None:
        if record["id"] in self._called:
            raise ValueError(f"id {record['id']} was called before; each call has an id of its own")
        if record["call"] == "tap":
            if record["tap"] in self._taps:
                raise ValueError(f"tap {record['tap']} was made before; each has a number of its own")
            self._taps.add(record["tap"])
        elif record["call"] == "close":
            self._callback(record)
        self._called[record["id"]] = record["call"]
        self._in_flight.add(record["id"])

    def _callback(self, record: Record) -> None:
        if "tap" in record and record["tap"] not in self._taps:
            raise ValueError(f"tap {record['tap']} was never made")
        if record.get("of") is not None and self._called.get(record["of"]) not in ("emit", "finish"):
            raise ValueError(f"id {record['of']} was never called as emit or finish, so no event can be of it")
        if record.get("settled") and self._in_flight:
            raise ValueError(f"call {min(self._in_flight)} has not returned, so this cannot be settled")
