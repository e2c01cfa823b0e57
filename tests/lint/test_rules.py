"""The linter and two other readings of the rules agree: the examples of the spec, and the generator of streams."""

from collections import Counter
from random import Random

import pytest
from agent_run_tck.index import requirements
from agent_run_tck.streams.generator import EDITED, edited_stream, interleaved, toured_streams, valid_stream

from tests.lint.linting import END, LOG, broken, errors, findings, lines, published
from tests.spec.stream_examples import Example, examples

OF_STREAMS = [each.id for each in requirements().values() if each.profile == "stream"]
SEEDS = range(150)


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.text)
def test_an_example_of_the_spec_is_judged_as_it_says(example: Example) -> None:
    assert broken(example.records) == (set() if example.right else {example.requirement})


def test_valid_streams_give_no_finding() -> None:
    assert [found for seed in SEEDS for found in errors(valid_stream(Random(seed)))] == []


def test_every_step_of_the_model_is_valid() -> None:
    streams = [stream for name in ("turns", "work") for stream in toured_streams(name)]  # type: ignore[arg-type]
    assert [found for stream in streams for found in errors(stream)] == []
    assert len(streams) > 10


@pytest.mark.parametrize("requirement", OF_STREAMS)
def test_an_edited_stream_breaks_what_the_edit_breaks(requirement: str) -> None:
    assert requirement in EDITED
    for seed in range(12):
        records, _, what = edited_stream(Random(seed), requirement)
        assert requirement in broken(records), what


def test_runs_that_are_interleaved_are_told_apart() -> None:
    for seed in range(20):
        random = Random(seed)
        edited = edited_stream(random, "FRAME-2")[0]
        of_edited = {record["run-id"] for record in edited}
        streams = [
            stream for stream in (valid_stream(random) for _ in range(3)) if stream[0]["run-id"] not in of_edited
        ]
        found = errors(interleaved(random, [*streams, edited]))
        assert {finding.stream.partition(" > ")[0] for finding in found} == of_edited
        assert len(found) == len(errors(edited))


def test_a_finding_says_where_and_why_and_what_was_expected() -> None:
    records = published(
        {"kind": "attempt-started", "round": 1, "attempt": 1, "backend-index": 0, "model": "m"},
        {"kind": "round-started", "round": 2},
        END,
    )
    (finding,) = errors(records)
    assert (finding.file, finding.line, finding.requirement) == ("transcript", 2, "FRAME-2")
    assert finding.message == "round-started comes while attempt 1.1 is open; that has to end first"
    assert finding.stream == "run"


def test_what_a_child_does_is_told_of_the_child() -> None:
    child = published(LOG, {"kind": "token", "text": "x"}, run_id="inner")
    outer = {"kind": "subagent", "agent-id": "a", "agent-type": "t"}
    nested = published(*({**outer, "agent-id": "b", "inner": record} for record in child), run_id="middle")
    found = errors(published(*({**outer, "inner": record} for record in nested), END))
    assert [(finding.line, finding.requirement, finding.stream) for finding in found] == [(2, "FRAME-1", "run > a > b")]


@pytest.mark.parametrize("depth", [3, 150])
def test_children_are_unwrapped_to_any_depth(depth: int) -> None:
    inner = published({"kind": "token", "text": "x"}, run_id="inner")[0]
    for _ in range(depth):
        outer = {"kind": "subagent", "agent-id": "a", "agent-type": "t", "inner": inner}
        inner = published(outer, run_id="inner")[0]
    found = errors([inner, published(LOG, END, run_id="inner")[1]])
    assert [(finding.requirement, finding.stream.count(">")) for finding in found] == [("FRAME-1", depth)]


def test_the_unknown_is_noted_once_and_fails_nothing() -> None:
    odd = {"kind": "kind-of-tomorrow", "x": 1}
    new_key = {**LOG, "color": "red"}
    louder = {**LOG, "level": "fatal"}
    found = findings(lines(published(odd, odd, new_key, new_key, louder, louder, END)))
    assert [(finding.line, finding.requirement, finding.level) for finding in found] == [
        (1, "GRAM-2", "note"),
        (3, "GRAM-2", "note"),
        (5, "GRAM-2", "note"),
    ]


def test_operations_that_the_run_leaves_are_noted() -> None:
    left = published(
        {"kind": "background-op-started", "op-id": "o1", "op-kind": "k"},
        {"kind": "background-op-started", "op-id": "o2", "op-kind": "k"},
        {"kind": "background-op-settled", "op-id": "o2", "op-kind": "k", "collected": False},
        END,
    )
    assert Counter((finding.requirement, finding.level) for finding in findings(lines(left))) == {
        ("BG-1", "note"): 1,
        ("BG-2", "note"): 1,
    }


def test_a_record_after_the_end_is_told_once_and_judged_by_no_other_rule() -> None:
    token = {"kind": "token", "text": "x"}
    found = errors(published(LOG, END, token, token))
    assert [(finding.line, finding.requirement) for finding in found] == [(3, "GRAM-1")]
    assert "after the terminal in line 2" in found[0].message


def test_records_without_an_envelope_are_told() -> None:
    first, last = published(LOG, END)
    without = [{key: value for key, value in first.items() if key != missing} for missing in ("run-id", "seq")]
    assert [finding.message for finding in errors([without[0], first, last])] == [
        "the record has no run-id; nobody can tell which run it is of"
    ]
    assert [finding.message for finding in errors([without[1], last])] == [
        "the record has no seq; a transcript has published events"
    ]
