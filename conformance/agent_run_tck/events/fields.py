"""The fields of the kinds, payloads that combine them, and what the plain form has to make of a payload."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from itertools import product
from typing import Any

from agent_run_tck.index import taxonomy

Field = Mapping[str, Any]
Payload = dict[str, Any]

ENVELOPE = ("kind", "ts", "run-id", "seq")
HOLDS_OBJECTS = ("object", "message object", "string or object", "any")
SAMPLES: Mapping[str, Any] = {
    "integer": 7,
    "number": 2.5,
    "boolean": True,
    "string": "text",
    "object": {"key": ["value", 1]},
    "message object": {"role": "assistant", "content": "text"},
    "array": [{"key": "value"}, "value"],
    "string or object": {"key": "value"},
    "any": [True, {"key": "value"}],
}
FALSY: Mapping[str, tuple[Any, ...]] = {
    "integer": (0,),
    "number": (0, 0.0),
    "boolean": (False,),
    "string": ("",),
    "object": ({},),
    "message object": ({},),
    "array": ([],),
    "string or object": ("", {}),
    "any": (0, 0.0, False, "", [], {}),
}


def kinds() -> list[str]:
    return list(taxonomy())


def a(kind: str) -> str:
    """The kind with its article, for messages."""
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def fields(kind: str, presence: str = "") -> list[Field]:
    """The payload fields of a kind: all, or those that are `required`, `optional` or `always` present."""
    return [field for field in taxonomy()[kind]["fields"] if presence in ("", field["presence"])]


def is_closed(field: Field) -> bool:
    return bool(field.get("closed"))


def is_omitted_when_empty(field: Field) -> bool:
    return field.get("empty") == "omitted"


def sample(field: Field) -> Any:
    """A value of the field that is neither null nor false, zero or empty; a new one each time."""
    return field["values"][-1] if "values" in field else deepcopy(SAMPLES[field["type"]])


def falsy(field: Field) -> tuple[Any, ...]:
    """The false, zero and empty values of the field; none where it has known values, for those are not empty."""
    return () if "values" in field else FALSY[field["type"]]


def required(kind: str) -> Payload:
    """The smallest payload of a kind."""
    return {field["name"]: sample(field) for field in fields(kind, "required")}


def full(kind: str) -> Payload:
    """The payload of a kind with all of its fields."""
    return {field["name"]: sample(field) for field in fields(kind)}


def combinations(kind: str) -> Iterator[Payload]:
    """The required fields with every subset of the others."""
    others = [field for field in fields(kind) if field["presence"] != "required"]
    for chosen in product((False, True), repeat=len(others)):
        extra = {field["name"]: sample(field) for field, taken in zip(others, chosen, strict=True) if taken}
        yield {**required(kind), **extra}


def expected(kind: str, payload: Mapping[str, Any]) -> Payload:
    """The payload keys that the plain form has to have, with their values."""
    result = {}
    for field in fields(kind):
        value = payload.get(field["name"])
        if value is None and field["presence"] == "always":
            value = field["default"]
        if value is not None and not (is_omitted_when_empty(field) and not value):
            result[field["name"]] = value
    return result


def payload_of(plain: Mapping[str, Any]) -> Payload:
    """The plain form without the envelope."""
    return {key: value for key, value in plain.items() if key not in ENVELOPE}
