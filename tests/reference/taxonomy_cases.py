"""Cases built from spec/events.toml: good payloads, what each field admits, and any event at all."""

import tomllib
from pathlib import Path

import pytest
from agent_run.events import make, order, stamp
from hypothesis import strategies as st
from plain_data import INTEGERS, NUMBERS, PLAIN, TEXT

TAXONOMY = tomllib.loads((Path(__file__).parents[2] / "spec" / "events.toml").read_text(encoding="utf-8"))
RECORDS = TAXONOMY["event"]
SAMPLES = {
    "null": None,
    "boolean": True,
    "integer": 1,
    "number": 2.0,
    "string": "text",
    "object": {"a": [1]},
    "array": [{"a": 1}],
}
EMPTY = {"boolean": False, "integer": 0, "number": 0.0, "string": "", "object": {}, "array": []}
ADMITTED = {
    "number": {"integer", "number"},
    "message object": {"object"},
    "string or object": {"string", "object"},
    "any": set(SAMPLES),
}
OBJECT = st.dictionaries(TEXT, PLAIN)
STRATEGIES = {
    "integer": INTEGERS,
    "number": NUMBERS,
    "boolean": st.booleans(),
    "string": TEXT,
    "object": OBJECT,
    "message object": OBJECT,
    "array": st.lists(PLAIN),
    "string or object": TEXT | OBJECT,
    "any": PLAIN,
}


def admitted(field):
    return ADMITTED.get(field["type"], {field["type"]})


def good(field):
    return field["values"][0] if field.get("closed") else SAMPLES[min(admitted(field) - {"null"})]


def required(record):
    return {field["name"]: good(field) for field in record["fields"] if field["presence"] == "required"}


def with_defaults(record):
    return required(record) | {f["name"]: f["default"] for f in record["fields"] if f["presence"] == "always"}


def attribute(wire):
    return wire.replace("-", "_")


def payload_of(event):
    return {key: value for key, value in event.plain().items() if key not in ("kind", "ts", "run-id", "seq")}


def published(event, run_id="run-1", seq=0):
    stamped = stamp(event, run_id)
    order(stamped, seq)
    return stamped


each_kind = pytest.mark.parametrize("record", RECORDS, ids=[record["kind"] for record in RECORDS])


def each_field(wanted):
    pairs = [(record, field) for record in RECORDS for field in record["fields"] if wanted(field)]
    ids = [f"{record['kind']}.{field['name']}" for record, field in pairs]
    return pytest.mark.parametrize(("record", "field"), pairs, ids=ids)


@st.composite
def records_made(draw):
    """An event of any kind with any subset of its optional fields, and the payload it was made from."""
    record = draw(st.sampled_from(RECORDS))
    fields = [field for field in record["fields"] if field["presence"] == "required" or draw(st.booleans())]
    payload = {
        field["name"]: draw(st.sampled_from(field["values"]) if field.get("closed") else STRATEGIES[field["type"]])
        for field in fields
    }
    return record, payload, make(record["kind"], payload)
