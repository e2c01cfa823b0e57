"""The generator of streams: what it calls valid keeps the grammar, and each edit breaks it where it says."""

from __future__ import annotations

import json
from collections import Counter
from random import Random

import pytest
from agent_run_tck.index import requirements, taxonomy
from agent_run_tck.streams import generator, graph
from agent_run_tck.streams.editing import Stream, changed, inserted, removed, rewrapped, whole_children
from agent_run_tck.streams.edits import EDITS, edited
from agent_run_tck.streams.generator import edited_stream, interleaved, tour, toured_streams, valid_stream
from agent_run_tck.streams.grammar import State, move_of, take
from agent_run_tck.streams.reading import Misplaced, Reader, accepts, states
from hypothesis import given, settings

POOL = [valid_stream(Random(seed)) for seed in range(150)]


def test_valid_streams_are_read_back_to_their_end() -> None:
    assert [number for number, stream in enumerate(POOL) if not accepts(stream)] == []


def test_valid_streams_have_every_kind_and_every_state_of_a_turn() -> None:
    kinds = Counter(event["kind"] for stream in POOL for event in stream)
    assert set(kinds) == set(taxonomy())
    assert {state.turn for stream in POOL for state in states(stream)} == {
        "none",
        "attempt",
        "between",
        "answered",
        "messaged",
        "marked",
    }


def test_the_same_seed_gives_the_same_stream() -> None:
    assert valid_stream(Random(5)) == valid_stream(Random(5))
    assert edited_stream(Random(5)) == edited_stream(Random(5))
    assert valid_stream(Random(5)) != valid_stream(Random(6))


def test_streams_are_plain_data() -> None:
    assert json.loads(json.dumps(POOL)) == POOL


def test_children_are_nested_and_restarted() -> None:
    inner = [event["inner"] for stream in POOL for event in stream if event["kind"] == "subagent"]
    assert any(record["kind"] == "subagent" for record in inner)
    restarts = [
        stream
        for stream in POOL
        if any(child.run > 1 for _, child in states(stream)[-1].child)
        and any(child.run == 1 for _, child in states(stream)[-1].child)
    ]
    assert restarts


@pytest.mark.parametrize("requirement", generator.EDITED)
def test_an_edited_stream_is_not_valid_and_says_what_was_edited(requirement: str) -> None:
    events, label, what = edited_stream(Random(1), requirement)
    assert (label, bool(what)) == (requirement, True)
    assert not accepts(events)


def test_every_requirement_of_streams_has_an_edit() -> None:
    assert list(EDITS) == [row.id for row in requirements().values() if row.profile == "stream"]


@pytest.mark.parametrize("edit", [edit for edits in EDITS.values() for edit in edits], ids=lambda edit: edit.__name__)
def test_every_edit_finds_a_place_and_breaks_the_grammar_there(edit: object) -> None:
    assert callable(edit)
    broken = 0
    for stream in POOL:
        for _, make in edit(Stream(stream, states(stream))):
            broken += not accepts(make())
            if broken > 3:
                return
    assert broken, "no valid stream has a place for it"


def test_an_edit_that_leaves_the_stream_valid_is_not_produced() -> None:
    accidents = [
        made
        for seed, stream in enumerate(POOL)
        if (made := edited(Random(seed), stream, "FRAME-5")) and accepts(made[0])
    ]
    assert accidents, "a token of a failed attempt may have another text"
    for seed in range(40):
        assert not accepts(edited_stream(Random(seed), "FRAME-5")[0])


def test_interleaved_streams_keep_their_order() -> None:
    streams = POOL[:4]
    transcript = interleaved(Random(0), streams)
    for stream in streams:
        assert [event for event in transcript if event["run-id"] == stream[0]["run-id"]] == stream
    assert len(transcript) == sum(map(len, streams))


@pytest.mark.parametrize("name", graph.NAMES)
def test_a_tour_takes_every_edge_of_its_graph(name: graph.Name) -> None:
    exported = graph.load(name)
    target = {(source, label): after for source, label, after in exported.edges}
    taken: set[graph.Edge] = set()
    for path in tour(name):
        at = exported.initial[0]
        for label in path:
            taken.add((at, label, target[at, label]))
            at = target[at, label]
        assert exported.states[at].ended != "no"
    assert taken == set(exported.edges)


@pytest.mark.parametrize("name", graph.NAMES)
def test_the_streams_of_a_tour_are_valid_and_end_as_its_paths_do(name: graph.Name) -> None:
    for path, stream in zip(tour(name), toured_streams(name), strict=True):
        state = State()
        for move in map(move_of, path):
            after = take(state, move)
            assert after is not None
            state = after
        read = states(stream)[-1]
        assert (read.round, read.turn, read.ended, len(read.committed)) == (
            state.round,
            state.turn,
            state.ended,
            len(state.committed),
        )


@settings(max_examples=20, deadline=None)
@given(generator.valid_streams(), generator.edited_streams())
def test_the_strategies_give_what_the_functions_give(valid: list[generator.Event], made: generator.Edited) -> None:
    assert accepts(valid)
    assert not accepts(made[0])


def test_what_is_edited_keeps_the_rest_and_counts_anew() -> None:
    stream = Stream([{"kind": "log", "ts": "t", "run-id": "r", "seq": seq} for seq in range(3)], [State()] * 4)
    assert [event["seq"] for event in removed(stream, 1)[1]()] == [0, 1]
    assert [event["kind"] for event in inserted(stream, 1, "token", {})[1]()] == ["log", "token", "log", "log"]
    assert [event["seq"] for event in changed(stream, 1, seq=7)[1]()] == [0, 7, 2]


def test_what_a_child_has_more_or_less_finds_its_wrapper() -> None:
    stream = next(stream for stream in POOL if whole_children(stream))
    places = whole_children(stream)[0]
    inner = [stream[at]["inner"] for at in places]
    assert rewrapped(stream, places, inner) == stream
    for other in (inner[:-1], [*inner, inner[-1]], [*inner, *inner]):
        made = rewrapped(stream, places, other)
        agent = stream[places[0]]["agent-id"]
        assert [event["inner"] for event in made if event.get("agent-id") == agent] == other
        assert [event["seq"] for event in made] == list(range(len(made)))


def test_a_record_of_no_kind_has_no_place() -> None:
    with pytest.raises(Misplaced, match="is no kind"):
        Reader().read({"kind": "nothing", "run-id": "r", "seq": 0, "ts": "2026-01-01T00:00:00.000000Z"})
