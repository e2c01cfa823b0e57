"""Paths through a graph that take every edge: to the nearest edge not yet taken, and on to the end."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from agent_run_tck.streams.graph import Edge, Graph


def paths(graph: Graph) -> Iterator[list[str]]:
    """Labels from the beginning to the end of a stream, until every edge was taken; always the same ones."""
    leaving: dict[int, list[Edge]] = {}
    for edge in graph.edges:
        leaving.setdefault(edge[0], []).append(edge)
    is_over = {number for number, state in enumerate(graph.states) if state.ended != "no"}
    ends = {edge for edge in graph.edges if edge[2] in is_over}
    left = set(graph.edges)
    while left:
        path = _nearest(leaving, graph.initial[0], left)
        while more := next((edge for edge in leaving[path[-1][2]] if edge in left and edge not in path), None):
            path.append(more)
        if path[-1][2] not in is_over:
            path += _nearest(leaving, path[-1][2], ends)
        left -= set(path)
        yield [label for _, label, _ in path]


def _nearest(leaving: dict[int, list[Edge]], start: int, wanted: set[Edge]) -> list[Edge]:
    """The shortest way from the state to and over a wanted edge."""
    came: dict[int, Edge | None] = {start: None}
    todo = deque([start])
    while todo:
        for edge in leaving[todo.popleft()]:
            if edge in wanted:
                return _way(came, edge)
            if edge[2] not in came:
                came[edge[2]] = edge
                todo.append(edge[2])
    raise ValueError("the graph has edges that no path from its beginning takes")


def _way(came: dict[int, Edge | None], last: Edge) -> list[Edge]:
    way: list[Edge] = []
    edge: Edge | None = last
    while edge is not None:
        way.insert(0, edge)
        edge = came[edge[0]]
    return way
