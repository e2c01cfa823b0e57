"""The state graphs of tla/EventStream.tla at small bounds, as TLC found them.

`tla/tools.py export` writes the data; nothing else may edit it.  Reading is a pure function of the files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from attrs import frozen

from agent_run_tck.streams.consumer import Pairs, View
from agent_run_tck.streams.grammar import Bounds, ChildState, State

Name = Literal["turns", "work"]
NAMES: tuple[Name, ...] = ("turns", "work")
Edge = tuple[int, str, int]


@frozen(kw_only=True)
class Graph:
    """States by number; an edge is (number, label, number)."""

    contract: str
    bounds: Bounds
    states: tuple[State, ...]
    initial: tuple[int, ...]
    edges: tuple[Edge, ...]


def _pairs(values: Sequence[Any], unless: Any) -> Pairs:
    """A function of TLA+ with the domain 1, 2, ... as pairs."""
    return tuple((number, value) for number, value in enumerate(values, 1) if value != unless)


def _texts(values: Sequence[Sequence[Any]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(map(tuple, values))


def _view(value: Mapping[str, Any]) -> View:
    calls = _pairs(value["calls"], "none")
    return View(_texts(value["conversation"]), tuple(value["streaming"]), calls, value["ended"])


def _children(values: Sequence[Mapping[str, Any]]) -> Pairs:
    return _pairs([ChildState(**value) for value in values], ChildState())


_READERS: Mapping[str, Any] = {
    "streamed": tuple,
    "committed": _texts,
    "call": lambda values: _pairs(values, "none"),
    "spent": frozenset,
    "started": tuple,
    "waiting": frozenset,
    "inventory": tuple,
    "child": _children,
    "view": _view,
    "quiet": _view,
}


def _states(data: Mapping[str, Any]) -> Iterator[State]:
    columns = {
        name: [_READERS.get(name, lambda value: value)(value) for value in values]
        for name, values in data["variables"].items()
    }
    for row in data["states"]:
        yield State(**{name: column[place] for (name, column), place in zip(columns.items(), row, strict=True)})


def _bounds(constants: Mapping[str, Any]) -> Bounds:
    sizes = {name.lower(): len(constants[name]) for name in ("Calls", "Ops", "Agents")}
    limits = {name[3:].lower(): value for name, value in constants.items() if name.startswith("Max")}
    return Bounds(**sizes, **limits)


def _edges(data: Mapping[str, Any]) -> Iterator[Edge]:
    labels = data["labels"]
    for source, (loop, moves) in enumerate(zip(data["stays"], data["moves"], strict=True)):
        yield from ((source, labels[label], source) for label in data["loops"][loop])
        yield from ((source, labels[label], target) for label, target in zip(moves[::2], moves[1::2], strict=True))


def parse(text: str) -> Graph:
    """The graph in the text that `export` writes."""
    data = json.loads(text)
    return Graph(
        contract=data["contract"],
        bounds=_bounds(data["bounds"]),
        states=tuple(_states(data)),
        initial=tuple(data["initial"]),
        edges=tuple(_edges(data)),
    )


@cache
def load(name: Name) -> Graph:
    """A graph that the kit ships: attempts, turns and a child, or calls, operations and parks."""
    return parse(files(__package__).joinpath(f"{name}.json").read_text(encoding="utf-8"))
