"""The schema of events takes what the reference writes, and nothing that breaks the rules on the plain form."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from agent_run.events import make, order, stamp
from agent_run_tck.events.fields import FALSY, SAMPLES, combinations, fields, full, kinds

from tests.spec.test_index import SPEC

SCHEMA = json.loads((SPEC / "schemas" / "event.json").read_text())
EVENT = jsonschema_rs.Draft202012Validator(SCHEMA)
RECORD = jsonschema_rs.Draft202012Validator({**SCHEMA, "required": [*SCHEMA["required"], "run-id", "seq"]})
GOOD_TS = ("2026-08-09T13:10:08.542283Z", "0001-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z")
BAD_TS = (
    "2026-08-09T13:10:08Z",
    "2026-08-09T13:10:08.542Z",
    "2026-08-09T13:10:08.542283",
    "2026-08-09T13:10:08.542283+00:00",
    "2026-08-09 13:10:08.542283Z",
    "2026-13-09T13:10:08.542283Z",
    "2026-08-09T24:10:08.542283Z",
    " 2026-08-09T13:10:08.542283Z",
    1786281008.542283,
)
WRONG: dict[str, tuple[Any, ...]] = {
    "integer": (True, "1", 1.5),
    "number": (True, "1"),
    "boolean": (0, "false"),
    "string": (1, ["text"]),
    "object": ([], "text"),
    "message object": ([], "text"),
    "array": ({}, "text"),
    "string or object": (1, []),
}


def published(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    event = stamp(make(kind, payload), "run")
    order(event, 0)
    return event.plain()


def faults(kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Records of the kind with one fault each, and what it is."""
    record = published(kind, full(kind))
    for field in fields(kind):
        name = field["name"]
        yield f"{name} is null", {**record, name: None}
        if field["presence"] != "optional":
            yield f"{name} is absent", {key: value for key, value in record.items() if key != name}
        if field.get("closed"):
            yield f"{name} is a stranger", {**record, name: "stranger"}
        if field.get("empty") == "omitted":
            yield f"{name} is empty", {**record, name: {}}
        for value in WRONG.get(field["type"], ()):
            yield f"{name} is {value!r}", {**record, name: value}


def test_the_schema_is_one() -> None:
    assert jsonschema_rs.meta.is_valid(SCHEMA)


@pytest.mark.parametrize("kind", kinds())
def test_what_the_reference_writes_is_right(kind: str) -> None:
    for payload in combinations(kind):
        plain = make(kind, payload).plain()
        assert EVENT.is_valid(plain), plain
        assert not RECORD.is_valid(plain), "it was not published"
        assert RECORD.is_valid(published(kind, payload))


@pytest.mark.parametrize("kind", kinds())
def test_a_fault_is_found(kind: str) -> None:
    for what, record in faults(kind):
        assert not EVENT.is_valid(record), f"{what}: {record}"


def test_every_type_has_something_wrong() -> None:
    assert {*WRONG, "any"} == set(SAMPLES) == set(FALSY)


def test_the_ts_has_one_form() -> None:
    plain = make("log", full("log")).plain()
    assert [ts for ts in GOOD_TS if not EVENT.is_valid({**plain, "ts": ts})] == []
    assert [ts for ts in BAD_TS if EVENT.is_valid({**plain, "ts": ts})] == []


@pytest.mark.parametrize("key", ["kind", "ts"])
def test_the_envelope_is_not_to_be_left_out(key: str) -> None:
    plain = make("log", full("log")).plain()
    del plain[key]
    assert not EVENT.is_valid(plain)


@pytest.mark.parametrize("envelope", [{"run-id": "r"}, {"seq": 0}, {"run-id": 1, "seq": 0}, {"run-id": "r", "seq": -1}])
def test_half_an_envelope_is_wrong(envelope: dict[str, Any]) -> None:
    assert not EVENT.is_valid({**make("log", full("log")).plain(), **envelope})


def test_the_unknown_is_allowed() -> None:
    plain = make("limit-reached", full("limit-reached")).plain()
    assert EVENT.is_valid({**plain, "limit": "a limit of tomorrow", "more": None})
    assert EVENT.is_valid({"kind": "a-kind-of-tomorrow", "ts": plain["ts"], "anything": None})
