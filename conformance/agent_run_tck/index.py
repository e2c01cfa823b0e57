"""The spec's data, as the kit reads it: the requirements and the event taxonomy."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from attrs import frozen


@frozen
class Requirement:
    id: str
    title: str
    profile: str
    sureness: str
    checked: bool
    """By the suite, on an implementation; otherwise by the linter, on transcripts."""
    model: tuple[str, ...]
    """The names in `tla/` that formalise it."""

    @property
    def family(self) -> str:
        return self.id.rpartition("-")[0]


def spec_text(name: str) -> str:
    """A file of `spec/`: package data once installed, and the folder itself in a checkout."""
    packaged = files("agent_run_tck") / "spec" / name
    return (packaged if packaged.is_file() else _CHECKOUT / name).read_text(encoding="utf-8")


def _data(name: str) -> dict[str, Any]:
    return tomllib.loads(spec_text(name))


_CHECKOUT = Path(__file__).parents[2] / "spec"


@cache
def contract_version() -> str:
    return str(_data("requirements.toml")["contract"])


@cache
def requirements() -> Mapping[str, Requirement]:
    """All requirements by id, in the order of the spec."""
    rows = _data("requirements.toml")["requirement"]
    return {
        row["id"]: Requirement(
            row["id"], row["title"], row["profile"], row["sureness"], "suite" in row, tuple(row.get("model", ()))
        )
        for row in rows
    }


@cache
def taxonomy() -> Mapping[str, Mapping[str, Any]]:
    """The event kinds by kind string, as in `events.toml`."""
    return {event["kind"]: event for event in _data("events.toml")["event"]}


@cache
def envelope() -> Sequence[Mapping[str, Any]]:
    """The keys that every plain form has beside its payload."""
    return tuple(_data("events.toml")["envelope"])


@cache
def terminal_kinds() -> frozenset[str]:
    return frozenset(_data("events.toml")["terminal"])


_EXAMPLES: Mapping[str, Any] = {
    "integer": 1,
    "string": "text",
    "number": 0.5,
    "boolean": True,
    "object": {"key": "value"},
    "array": ["item"],
    "message object": {"role": "assistant", "content": "text"},
    "string or object": "text",
    "any": "value",
}


def example_payload(kind: str) -> dict[str, Any]:
    """The smallest payload that an event of `kind` can be made from."""
    return {
        field["name"]: field["values"][0] if "values" in field else _EXAMPLES[field["type"]]
        for field in taxonomy()[kind]["fields"]
        if field["presence"] == "required"
    }
