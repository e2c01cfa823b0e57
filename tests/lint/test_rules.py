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
    new_key = {**LOG, "round": 0}
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


ATTEMPT = {"kind": "attempt-started", "round": 1, "attempt": 1, "backend-index": 0, "model": "m"}
ANSWERED = {"kind": "attempt-succeeded", "round": 1, "attempt": 1, "backend-index": 0, "usage": {}}
CALL = {"kind": "tool-call", "id": "c1", "name": "n"}
RESULT = {"kind": "tool-result", "id": "c1", "content": "x", "is-error": False}
STARTED = {"kind": "background-op-started", "op-id": "o1", "op-kind": "k"}
SETTLED = {"kind": "background-op-settled", "op-id": "o1", "op-kind": "k", "collected": True}
DELIVERED = {"kind": "background-op-delivered", "op-id": "o1", "op-kind": "k"}


def said(text: str) -> dict[str, object]:
    return {"kind": "assistant-message", "message": {"role": "assistant", "content": text}}


def child(run_id: object, seq: object) -> dict[str, object]:
    inner = {"kind": "log", "ts": LOG_TS, "level": "info", "data": "x", "run-id": run_id, "seq": seq}
    return {
        "kind": "subagent", "agent-id": "a", "agent-type": "t",
        "inner": {key: value for key, value in inner.items() if value is not None},
    }  # fmt: skip


LOG_TS = published(LOG)[0]["ts"]
TAUGHT = {
    "half a commit": ([ATTEMPT, ANSWERED, {"kind": "turn-committed"}, END], "its assistant-message has to come first"),
    "null for what is required": ([{**CALL, "name": None}, RESULT, END], "it has to be of type string"),
    "null for what is optional": ([{**LOG, "logger": None}, END], "leave the key out where there is no value"),
    "an empty map": (
        [CALL, {**RESULT, "artifact": {}}, END],
        "tool-result has an empty artifact; leave the key out",
    ),
    "no kind": ([{"x": 1}, END], "the record has no kind; it has to be there"),
    "a result that comes late": (
        [CALL, RESULT, {"kind": "round-started", "round": 2}, RESULT, END],
        'tool-result comes for call "c1", which is not open; a tool-call opens it',
    ),
    "an id again": ([CALL, RESULT, CALL, RESULT, END], 'tool-call comes after the end of call "c1" in the same round'),
    "a difference far behind": (
        [ATTEMPT, {"kind": "token", "text": "x" * 99 + "y"}, ANSWERED, said("x" * 99), {"kind": "turn-committed"}, END],
        'after 99 equal characters the tokens go on with "y", the message with nothing',
    ),
    "an attempt without its number": (
        [{key: value for key, value in ATTEMPT.items() if key != "attempt"},
         {"kind": "token", "text": "x", "attempt": 1}, ANSWERED, said("x"), {"kind": "turn-committed"},
         {**ATTEMPT, "attempt": 2}, {**ANSWERED, "attempt": 2}, said(""), {"kind": "turn-committed"}, END],
        "attempt-started has no attempt",
    ),
    "a delivery of what was collected": ([STARTED, SETTLED, DELIVERED, END], "which was collected or delivered"),
    "a delivery too early": ([STARTED, DELIVERED, END], 'comes for "o1", which has not settled'),
    "a child's record without its run-id": ([child(None, 0), child("r", 1), END], "log has no run-id"),
    "a restart under the old name": ([child("r", 0), child("r", 0), END], "a restart has another run-id"),
}  # fmt: skip


@pytest.mark.parametrize(("events", "says"), TAUGHT.values(), ids=TAUGHT)
def test_one_fault_is_one_finding_that_teaches(events: list[dict[str, object]], says: str) -> None:
    (finding,) = errors(published(*events))
    assert says in finding.message
