"""Payloads at random: every field of the taxonomy, as its type and presence allow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

from agent_run_tck.index import taxonomy

ABSENT: Final = object()
"""Given for an optional key, it keeps the key out."""

TEXTS = ("", "a", "Hello", " world", "line\nbreak", "Grüße", "\u2028", "🦊", '"quoted"', "0")
_OBJECTS: tuple[dict[str, Any], ...] = ({"key": "value"}, {"total-tokens": 12, "nested": {"list": [1, None]}})

_VALUES: Mapping[str, Callable[[Random], Any]] = {
    "integer": lambda random: random.randrange(1000),
    "number": lambda random: random.choice((0, 3, 0.25, 1e-3)),
    "string": lambda random: random.choice(TEXTS),
    "boolean": lambda random: random.random() < 0.5,
    "object": lambda random: dict(random.choice(_OBJECTS)),
    "array": lambda random: [dict(random.choice(_OBJECTS)) for _ in range(random.randrange(3))],
    "message object": lambda random: {"role": "assistant", "content": random.choice(TEXTS)},
    "string or object": lambda random: random.choice((random.choice(TEXTS), dict(random.choice(_OBJECTS)))),
    "any": lambda random: random.choice((False, 0, "", [], random.choice(TEXTS))),
}


def payload(random: Random, kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """A payload of the kind: what is given as it is, what is required or always present, and some of the rest."""
    made: dict[str, Any] = {}
    for field in taxonomy()[kind]["fields"]:
        name = field["name"]
        if name in given:
            made |= {} if given[name] is ABSENT else {name: given[name]}
        elif field["presence"] != "optional" or random.random() < 0.3:
            made[name] = random.choice(field["values"]) if "values" in field else _VALUES[field["type"]](random)
    return made
