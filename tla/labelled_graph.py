"""Turns the labelled state graph that TLC dumps into data that is compact and always the same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

_TOKEN = re.compile(r'\s*(<<|>>|\|->|[\[\]{},]|"[^"]*"|-?\d+|\w+)')
_EDGE = re.compile(r'^(-?\d+) -> (-?\d+) \[label="(\w+)"')
_NODE = re.compile(r'^(-?\d+) \[label="(.*?)"(,style = filled)?\];?$')
_WORDS = {"TRUE": True, "FALSE": False}


class _Tokens:
    def __init__(self, text: str) -> None:
        self.items: list[str] = _TOKEN.findall(text)
        self.at = 0

    def next(self) -> str:
        self.at += 1
        return self.items[self.at - 1]

    def until(self, end: str, item: Callable[[], Any]) -> list[Any]:
        """The items up to the closing token, commas left out."""
        found = []
        while self.items[self.at] != end:
            found.append(item())
            if self.items[self.at] == ",":
                self.at += 1
        self.at += 1
        return found


def _value(tokens: _Tokens) -> Any:
    token = tokens.next()
    if token == "<<":
        return tokens.until(">>", lambda: _value(tokens))
    if token == "{":
        return sorted(tokens.until("}", lambda: _value(tokens)))
    if token == "[":
        return dict(tokens.until("]", lambda: _pair(tokens)))
    if token.startswith('"'):
        return token[1:-1]
    return _WORDS[token] if token in _WORDS else int(token)


def _pair(tokens: _Tokens) -> tuple[str, Any]:
    name = tokens.next()
    tokens.next()
    return name, _value(tokens)


@cache
def value_text(text: str) -> str:
    """A value of TLA+ as JSON text, which is also its key for sorting."""
    return json.dumps(_value(_Tokens(text)), sort_keys=True, separators=(",", ":"))


def constants(config: str) -> dict[str, Any]:
    """The constants that a configuration sets."""
    return {name: _value(_Tokens(text)) for name, text in re.findall(r"^\s*(\w+) = (.+)$", config, re.MULTILINE)}


def _state(label: str) -> dict[str, str]:
    """The variables of a node; a long value goes over several lines."""
    text = label.replace('\\"', '"')
    pairs = (part.split(" = ", 1) for part in re.split(r"(?:^|\\n)/\\\\ ", text) if part)
    return {name: value_text(value.replace("\\n", " ")) for name, value in pairs}


def read_dump(lines: Iterable[str]) -> tuple[dict[str, dict[str, str]], set[str], set[tuple[str, str, str]]]:
    """The nodes of a dump, which of them are initial, and the edges (from, label, to)."""
    nodes, initial, edges = {}, set(), set()
    for line in lines:
        if edge := _EDGE.match(line):
            edges.add((edge[1], edge[3], edge[2]))
        elif (node := _NODE.match(line)) and node[1] not in nodes:
            nodes[node[1]] = _state(node[2])
            initial |= {node[1]} if node[3] else set()
    return nodes, initial, edges


def _rows(nodes: dict[str, dict[str, str]]) -> tuple[dict[str, list[str]], dict[str, tuple[int, ...]]]:
    """The distinct values of each variable, and each node as places in these lists."""
    names = sorted(next(iter(nodes.values())))
    values = {name: sorted({node[name] for node in nodes.values()}) for name in names}
    places = {name: {value: at for at, value in enumerate(values[name])} for name in names}
    return values, {key: tuple(places[name][node[name]] for name in names) for key, node in nodes.items()}


def compact(lines: Iterable[str]) -> dict[str, list[Any] | dict[str, Any]]:
    """The graph as lists of small numbers, in an order that depends on nothing but the graph.

    states: per state, for each variable in the order of its name, the place of its value.  stays: per state,
    the place in loops of the set of labels that lead back to it.  moves: per state, label and target in turn.
    """
    nodes, initial, edges = read_dump(lines)
    values, rows = _rows(nodes)
    order = sorted(rows, key=rows.__getitem__)
    place = {key: at for at, key in enumerate(order)}
    labels = sorted({label for _, label, _ in edges})
    stays: list[set[int]] = [set() for _ in order]
    moves: list[set[tuple[int, int]]] = [set() for _ in order]
    for source, label, target in edges:
        if source == target:
            stays[place[source]].add(labels.index(label))
        else:
            moves[place[source]].add((labels.index(label), place[target]))
    loops = sorted({tuple(sorted(stay)) for stay in stays})
    return {
        "labels": labels,
        "variables": {name: [json.loads(value) for value in found] for name, found in values.items()},
        "initial": sorted(place[key] for key in initial),
        "loops": loops,
        "states": [rows[key] for key in order],
        "stays": [loops.index(tuple(sorted(stay))) for stay in stays],
        "moves": [[number for move in sorted(found) for number in move] for found in moves],
    }


def as_text(data: dict[str, Any]) -> str:
    """JSON with one entry of the data per line."""
    lines = (f"{json.dumps(key)}:{json.dumps(value, separators=(',', ':'))}" for key, value in data.items())
    return "{" + ",\n".join(lines) + "}\n"
