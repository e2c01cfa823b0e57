"""The state graph of tla/Run.tla at small bounds, as TLC found it.

`tla/tools.py export` writes the data; nothing else may edit it.  Reading is a pure function of the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from attrs import frozen

from agent_run_tck.model.contract import Bounds, State, TapState

Edge = tuple[int, str, int]


@frozen(kw_only=True)
class Graph:
    """States by number; an edge is (number, label, number), one for each label and target."""

    contract: str
    bounds: Bounds
    states: tuple[State, ...]
    initial: tuple[int, ...]
    edges: tuple[Edge, ...]


def _state(names: Sequence[str], values: Sequence[Sequence[Any]], row: Sequence[int]) -> State:
    return State(**{name: column[place] for name, column, place in zip(names, values, row, strict=True)})


def _taps(value: Sequence[Mapping[str, Any]]) -> tuple[TapState, ...]:
    return tuple(TapState(**{**tap, "seen": tuple(tap["seen"])}) for tap in value)


def _columns(variables: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """The values of each variable, sequences as tuples."""
    return {
        **variables,
        "log": [tuple(value) for value in variables["log"]],
        "tap": [_taps(value) for value in variables["tap"]],
    }


def _bounds(constants: Mapping[str, Any]) -> Bounds:
    return Bounds(
        taps=len(constants["Taps"]),
        events=constants["MaxEvents"],
        sections=constants["MaxSections"],
        parking=constants["Parking"],
        two_tap_ends=constants["TwoTapEnds"],
    )


def _edges(data: Mapping[str, Any]) -> Iterator[Edge]:
    labels = data["labels"]
    for source, (loop, moves) in enumerate(zip(data["stays"], data["moves"], strict=True)):
        yield from ((source, labels[label], source) for label in data["loops"][loop])
        yield from ((source, labels[label], target) for label, target in zip(moves[::2], moves[1::2], strict=True))


def parse(text: str) -> Graph:
    """The graph in the text that `export` writes."""
    data = json.loads(text)
    columns = _columns(data["variables"])
    names, values = list(columns), list(columns.values())
    return Graph(
        contract=data["contract"],
        bounds=_bounds(data["bounds"]),
        states=tuple(_state(names, values, row) for row in data["states"]),
        initial=tuple(data["initial"]),
        edges=tuple(_edges(data)),
    )


@cache
def load() -> Graph:
    """The graph that the kit ships; it reads one small file, once, and any thread may call it."""
    return parse(files(__package__).joinpath("graph.json").read_text(encoding="utf-8"))
