"""The exported graphs of EventStream and grammar.py are the same graphs, and what is shipped is not stale."""

from __future__ import annotations

import pytest
import tlc
import tools
from agent_run_tck.streams import graph
from agent_run_tck.streams.grammar import ACTIONS, Bounds, Move, State, move_of, moves, take

Found = tuple[set[State], set[tuple[State, str, State]]]


def explore(bounds: Bounds) -> Found:
    """Every state within the bounds, and every move."""
    states: set[State] = set()
    edges: set[tuple[State, str, State]] = set()
    todo = [State()]
    while todo:
        state = todo.pop()
        if state not in states:
            states.add(state)
            found = [(move.label, after) for move, after in moves(state, bounds)]
            edges.update((state, label, after) for label, after in found)
            todo.extend(after for _, after in found)
    return states, edges


@pytest.mark.parametrize("name", graph.NAMES)
def test_grammar_and_export_have_the_same_states_and_labelled_edges(name: graph.Name) -> None:
    exported = graph.load(name)
    states, edges = explore(exported.bounds)
    assert set(exported.states) == states
    assert [exported.states[number] for number in exported.initial] == [State()]
    assert {(exported.states[a], label, exported.states[b]) for a, label, b in exported.edges} == edges
    assert (len(exported.states), len(exported.edges)) == (len(states), len(edges))


def test_the_graphs_take_every_move_of_the_grammar() -> None:
    taken = {move_of(label).name for name in graph.NAMES for _, label, _ in graph.load(name).edges}
    assert taken == set(ACTIONS)


@pytest.mark.parametrize("name", graph.NAMES)
def test_export_would_write_the_graph_that_is_shipped(name: graph.Name) -> None:
    target = tools.KIT / "streams" / f"{name}.json"
    made = tools.exported_graph(tlc.find_checker(), target)
    assert target.read_text(encoding="utf-8") == made, "run: python tla/tools.py export"


def test_without_bounds_nothing_runs_out() -> None:
    state = State()
    for label in ("RoundStartedWithin", "ToolCall1", "ToolCall2", "BackgroundOpStarted1", "ChildBegins1"):
        after = take(state, move_of(label))
        assert after is not None
        state = after
    labels = {move.label for move, _ in moves(state)}
    assert {"ToolCall3", "BackgroundOpStarted2", "ChildBegins1", "ChildBegins2", "RoundStartedWithin"} <= labels


def test_a_stream_has_texts_and_ids_of_its_own() -> None:
    state = State(round=1, attempt=1, turn="attempt")
    for move in (Move("TokenWithin", text=("He",)), Move("TokenWithin", text=("llo",)), Move("ToolCall", "call-x")):
        after = take(state, move)
        assert after is not None
        state = after
    assert (state.view.streaming, dict(state.view.calls)) == (("He", "llo"), {"call-x": "proposed"})


@pytest.mark.parametrize("label", ["Tokens", "TokenWithin1", "ToolCall", "ToolCall0", "", "ToolCall1 "])
def test_an_unknown_label_is_refused(label: str) -> None:
    with pytest.raises(ValueError, match="is no label of the model"):
        move_of(label)
