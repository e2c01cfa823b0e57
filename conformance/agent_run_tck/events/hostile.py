"""Values that an event must not carry, values that only look like plain data, and what grasps at the envelope."""

import enum
from collections import OrderedDict, UserDict, defaultdict, namedtuple
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from agent_run_tck.events.fields import HOLDS_OBJECTS, Field

FORGED = {"kind": "forged", "ts": "1999-12-31T23:59:59.999999Z", "run-id": "forged", "seq": 4711}
"""What a payload must not be able to say of its event."""


class Level(enum.IntEnum):
    LOW = 1


class Word(str):
    __slots__ = ()


class Count(int):
    __slots__ = ()


class Share(float):
    __slots__ = ()


Pair = namedtuple("Pair", "left right")


def _list_in_itself() -> list[Any]:
    cycle: list[Any] = []
    cycle.append(cycle)
    return cycle


def _map_in_itself() -> dict[str, Any]:
    cycle: dict[str, Any] = {}
    cycle["self"] = [cycle]
    return cycle


SCALARS: Mapping[str, Any] = {
    "NaN": float("nan"),
    "an infinity": float("inf"),
    "a negative infinity": float("-inf"),
    "a lone surrogate": "half a \ud83d",
    "a foreign object": object(),
    "bytes": b"raw",
    "a moment": datetime(2026, 1, 1, tzinfo=UTC),
    "a complex number": 1j,
    "an exception": ValueError("wrong"),
    "a function": len,
}
CONTAINERS: Mapping[str, Any] = {
    "a key that is a number": {1: "one", "1": "the other"},
    "a key that is null": {None: "value"},
    "a key that is true": {True: "value"},
    "a key that is a pair": {("a", "b"): "value"},
    "a key with a lone surrogate": {"half a \udfff": "value"},
    "a set": {"value"},
    "a list that holds itself": _list_in_itself(),
    "a map that holds itself": _map_in_itself(),
}
HOSTILE: Mapping[str, Any] = {**SCALARS, **CONTAINERS}
"""What must be refused, wherever in a payload it stands."""

LOOK_ALIKES: Mapping[str, tuple[Any, Any]] = {
    "a tuple": ((1, ("a",)), [1, ["a"]]),
    "a named tuple": (Pair(1, 2), [1, 2]),
    "an enumeration of integers": (Level.LOW, 1),
    "a subclass of str": (Word("word"), "word"),
    "a subclass of int": (Count(3), 3),
    "a subclass of float": (Share(0.5), 0.5),
    "a key of a subclass of str": ({Word("key"): 1}, {"key": 1}),
    "an OrderedDict": (OrderedDict(key=1), {"key": 1}),
    "a defaultdict": (defaultdict(list, key=1), {"key": 1}),
    "a UserDict": (UserDict(key=1), {"key": 1}),
    "a read-only map": (MappingProxyType({"key": 1}), {"key": 1}),
    "a Decimal": (Decimal("1.5"), 1.5),
    "a range": (range(3), [0, 1, 2]),
    "an integer beyond 2**53": (2**53 + 1, 2**53 + 1),
    "an integer of 100 digits": (10**99, 10**99),
}
"""What may be refused; where it is accepted, it comes out as the plain data that stands behind it."""

PLACES: Mapping[str, Callable[[Any], Any]] = {
    "in a map": lambda value: {"key": value},
    "in a list": lambda value: {"key": [0, value]},
    "deep inside": lambda value: {"a": [{"b": [[{"c": value}]]}]},
}


def placed(field: Field, value: Any) -> Iterator[tuple[str, Any]]:
    """The value where a field of this type can hold it: itself, and inside a container."""
    yield "itself", value
    if field["type"] in HOLDS_OBJECTS:
        for name, place in PLACES.items():
            yield name, place(value)
    if field["type"] == "array":
        yield "in a list", [0, value]
        yield "deep inside", [[{"a": [value]}]]
