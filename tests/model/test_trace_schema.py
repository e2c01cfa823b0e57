"""The schema of recordings and the reader of them agree on what a record is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trace_file

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "spec" / "trace.schema.json").read_text(encoding="utf-8"))
GOOD = ROOT / "tla" / "traces" / "good"
BROKEN = ROOT / "tla" / "traces" / "broken"
TYPES: dict[str, type | tuple[type, ...]] = {"string": str, "boolean": bool, "null": type(None), "object": dict}
KEYWORDS = {
    "$ref",
    "type",
    "minimum",
    "maximum",
    "enum",
    "const",
    "oneOf",
    "properties",
    "required",
    "additionalProperties",
}
PROSE = {"$schema", "$defs", "title", "description"}


def is_type(name: str, value: Any) -> bool:
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def allows(schema: dict[str, Any], value: Any) -> bool:
    """What the few keywords that this schema uses say of a value."""
    assert schema.keys() <= KEYWORDS | PROSE, schema.keys() - KEYWORDS - PROSE
    if "$ref" in schema and not allows(SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]], value):
        return False
    if "oneOf" in schema:
        return sum(allows(one, value) for one in schema["oneOf"]) == 1
    types = schema.get("type", [])
    if types and not any(is_type(name, value) for name in ([types] if isinstance(types, str) else types)):
        return False
    if is_type("integer", value) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return False
    if "const" in schema and (value != schema["const"] or type(value) is not type(schema["const"])):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    return not isinstance(value, dict) or allows_fields(schema, value)


def allows_fields(schema: dict[str, Any], value: dict[str, Any]) -> bool:
    properties = schema.get("properties", {})
    if not set(schema.get("required", [])) <= value.keys():
        return False
    if schema.get("additionalProperties") is False and not value.keys() <= properties.keys():
        return False
    return all(allows(properties[name], one) for name, one in value.items() if name in properties)


def reads(record: dict[str, Any]) -> bool:
    """Whether the reader takes the record, wherever it stands."""
    try:
        if "trace" in record:
            trace_file.check_header(record, str(record.get("contract")))
        else:
            trace_file.check_record(record)
    except ValueError:
        return False
    return True


def recorded() -> list[dict[str, Any]]:
    files = [*sorted(GOOD.glob("*.jsonl")), BROKEN / "a_quit.jsonl", BROKEN / "an_event_of_nobody.jsonl"]
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def kind_in_schema(record: dict[str, Any]) -> str:
    (kind,) = (one["$ref"] for one in SCHEMA["oneOf"] if allows(one, record))
    return kind.rpartition("/")[2]


def examples() -> dict[str, dict[str, Any]]:
    """One record for each kind and each operation."""
    found: dict[str, dict[str, Any]] = {}
    for record in recorded():
        kind = kind_in_schema(record)
        found.setdefault(f"{kind} {record.get('call', record.get('error') and 'with an error') or ''}".strip(), record)
    return found


VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    7,
    10**9,
    10**9 + 1,
    1.5,
    "",
    "text",
    "emit",
    "tap",
    "called",
    "result",
    [],
    {},
]


def changes(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The record with a field less, one more, or another value in one."""
    yield record
    for name in record:
        yield {field: value for field, value in record.items() if field != name}
        for value in VALUES:
            yield {**record, name: value}
    for name in (
        "colour",
        "error",
        "kind",
        "tap",
        "of",
        "id",
        "call",
        "done",
        "trace",
        "settled",
        "program",
        "unexplained",
    ):
        yield {**record, name: 1}
        yield {**record, name: {}}


def test_every_kind_of_the_schema_is_recorded_somewhere() -> None:
    kinds = {name.partition(" ")[0] for name in examples()}
    assert kinds == {one["$ref"].rpartition("/")[2] for one in SCHEMA["oneOf"]}


@pytest.mark.parametrize("example", examples())
def test_schema_and_reader_agree(example: str) -> None:
    record = examples()[example]
    assert allows(SCHEMA, record)
    disagreed = [change for change in changes(record) if allows(SCHEMA, change) is not reads(change)]
    assert disagreed == []


def test_everything_recorded_is_as_the_schema_says() -> None:
    records = recorded()
    assert len(records) > 1000
    assert [record for record in records if not allows(SCHEMA, record)] == []


def test_everything_in_the_schema_is_described() -> None:
    silent = [name for name, one in SCHEMA["$defs"].items() if not one.get("description")]
    assert silent == []
