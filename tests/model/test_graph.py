"""The exported graph and contract.py are the same graph."""

from __future__ import annotations

from agent_run_tck.model import contract
from agent_run_tck.model.contract import Bounds, State
from agent_run_tck.model.graph import load

Found = tuple[set[State], set[tuple[State, str, State]]]


def explore(bounds: Bounds) -> Found:
    """Every state within the bounds, and every step."""
    states: set[State] = set()
    edges = set()
    todo = list(contract.initial_states())
    while todo:
        state = todo.pop()
        if state not in states:
            states.add(state)
            steps = list(contract.steps(state, bounds))
            edges.update((state, label, after) for label, after in steps)
            todo.extend(after for _, after in steps)
    return states, edges


def test_contract_and_export_have_the_same_states_and_labelled_edges() -> None:
    graph = load()
    states, edges = explore(graph.bounds)
    assert set(graph.states) == states
    assert {graph.states[number] for number in graph.initial} == contract.initial_states()
    assert {(graph.states[a], label, graph.states[b]) for a, label, b in graph.edges} == edges
    assert len(graph.states) == len(states)
    assert len(graph.edges) == len(edges)
