"""What the judge of histories allows, by the decisions of the contract, and what it says of what it does not allow."""

from __future__ import annotations

import pytest
from agent_run_tck.histories.explain import explain
from agent_run_tck.histories.search import check
from agent_run_tck.histories.table import table
from agent_run_tck.index import requirements
from by_hand import history

CANCELLED = ("A cancel", "hook A", "hook. A", "A -> nothing", "kept cancellation")
FINISHED = ("A finish failed f", "A -> true", "kept result failed", "kept drained")
TAPPED = ("A tap 1", "A -> nothing")
EMITTED = ("A emit x", "A -> true")
OVER = (*TAPPED, "A finish completed f", "A -> true", "1 <- f 0", "1 .", "1 done")

RIGHT = {
    "decision 2, an owed hook starts after the end": (
        "A cancel",
        "B finish failed f",
        "B -> true",
        "hook A",
        "hook. A",
        "A -> nothing",
    ),
    "decision 3, the second cancel returns before the cancellation is kept": (
        "A cancel",
        "B cancel",
        "B -> nothing",
        "B is_cancelled",
        "B -> false",
        "kept cancellation",
        "hook A",
        "hook. A",
        "A -> nothing",
    ),
    "decision 4, a cancelled run is completed": (
        *CANCELLED,
        "A finish completed f",
        "A -> true",
        "kept result completed",
    ),
    "decision 8, what comes between two taps is dropped": (
        *TAPPED,
        "A close 1",
        "A -> nothing",
        *EMITTED,
        "A tap 2",
        "A -> nothing",
        "A emit y",
        "A -> true",
        "2 <- y 1",
        "2 .",
        "rest",
    ),
    "decision 15, a late tap is handed what was accepted before": (
        *TAPPED,
        *EMITTED,
        "B tap 2",
        "B -> nothing",
        "2 <- x 0",
        "1 <- x 0",
    ),
    "decision 17, drained is kept a moment after both have returned": (
        "A work_begin",
        "A -> true",
        "A work_done",
        "B finish failed f",
        "B -> true",
        "A -> nothing",
        "A drained",
        "A -> planned",
        "kept result failed",
        "kept drained",
        "A drained",
        "A -> kept",
        "rest",
    ),
    "decision 18, a subscriber is ahead of the driver": (
        *TAPPED,
        "A finish completed f",
        "1 <- f 0",
        "1 .",
        "1 done",
        "A -> true",
    ),
    "decision 19, a tap in the callback for the terminal gets it too": (
        *TAPPED,
        "A finish completed f",
        "A -> true",
        "1 <- f 0",
        "B tap 2",
        "B -> nothing",
        "1 .",
        "1 done",
        "2 <- f 0",
        "2 .",
        "2 done",
    ),
    "decision 19, also when that tap is closed before its done": (
        *TAPPED,
        "A finish completed f",
        "A -> true",
        "1 <- f 0",
        "1 .",
        "B tap 2",
        "A close 1",
        "A -> nothing",
        "2 <- f 0",
        "2 .",
        "B -> nothing",
        "2 done",
    ),
    "decision 19, or nothing": (
        *TAPPED,
        "A finish completed f",
        "A -> true",
        "1 <- f 0",
        "B tap 2",
        "B -> nothing",
        "1 .",
        "1 done",
        "kept result completed",
        "kept drained",
        "rest",
    ),
    "an emit is ordered before a finish that overlaps it and returns first": (
        "A emit x",
        "B finish failed f",
        "B -> true",
        "A -> true",
    ),
    "or after it": ("A emit x", "B finish failed f", "B -> true", "A -> false"),
    "a call that never returns may have taken effect": (
        "A finish failed f",
        "B emit x",
        "B -> false",
        "B emit y",
        "B -> false",
    ),
    "or not": ("A finish failed f", "B emit x", "B -> true"),
    "a callback that began before the close is recorded after it": (
        *TAPPED,
        *EMITTED,
        "A close 1",
        "A -> nothing",
        "1 <- x 0",
    ),
    "a late tap that is handed nothing comes after an emit that has not returned": (
        *TAPPED,
        "B tap 2",
        *EMITTED,
        "C emit y",
        "1 <- x 0",
        "B -> nothing",
        "C -> true",
        "1 .",
        "1 <- y 1",
        "1 .",
        "rest",
    ),
    "a late tap that is handed nothing comes after all that was accepted": (
        "A tap 1",
        "A -> nothing",
        "A close 1",
        "A -> nothing",
        "B tap 2",
        "C finish failed f",
        "D tap 3",
        "D -> nothing",
        "C -> true",
        "B -> nothing",
        "2 <- f 0",
        "2 .",
        "2 done",
        "kept result failed",
        "kept drained",
        "rest",
    ),
}


@pytest.mark.parametrize("what", RIGHT)
def test_every_freedom_of_the_contract_is_allowed(what: str) -> None:
    verdict = check(history(*RIGHT[what], hook=any("hook" in line for line in RIGHT[what])))
    assert verdict.allowed, explain(verdict).sentence


NOT_YET = (
    "cancel() on A replied nothing, but it is the one that was accepted, and it returns once the cancellation is kept "
    "and its hook has returned; the contract allows no return of it yet (CANCEL-1, CANCEL-4)"
)
WRONG = {
    "a refusal before the end": (
        ("A emit x", "A -> false"),
        "emit(log) on A replied false, but no finish can have been accepted by then; the contract allows true "
        "(EMIT-1, EMIT-10)",
    ),
    "an acceptance after the end": (
        (*FINISHED, "A emit x", "A -> true"),
        "emit(log) on A replied true, but the run was closed by then; the contract allows false (EMIT-4, FINISH-3)",
    ),
    "two finishes win": (
        ("A finish failed f", "B finish completed g", "A -> true", "B -> true"),
        "finish(run-completed) on B replied true, but another finish had closed the run by then; the contract allows "
        "false (FINISH-1, FINISH-4)",
    ),
    "a look that shows too much": (
        ("B is_done", "B -> true"),
        "is_done on B replied true, but no finish can have been accepted by then; the contract allows false (IDENT-2)",
    ),
    "a look that has forgotten": (
        (*CANCELLED, "B is_cancelled", "B -> false"),
        "is_cancelled on B replied false, but the cancellation was kept when this began; the contract allows true "
        "(IDENT-3, CANCEL-7)",
    ),
    "a cancel that does not wait for its hook": (
        ("A cancel", "hook A", "A -> nothing"),
        NOT_YET,
    ),
    "a cancel without its hook": (
        ("A cancel", "A -> nothing"),
        NOT_YET,
    ),
    "a hook after the end": (
        (*FINISHED, "A cancel", "hook A"),
        "the hook was called on A, but the run was finished and not cancelled before (CANCEL-6, CANCEL-10)",
    ),
    "two hook calls": (
        (*CANCELLED, "B cancel", "hook B"),
        "the hook was called on B, but it had been called before (CANCEL-1, CANCEL-2)",
    ),
    "drained with a section open": (
        ("A work_begin", "A -> true", "A finish failed f", "A -> true", "kept drained"),
        "a continuation of drained was called with true, but the run was open by then, or a section was; the contract "
        "allows no call of it yet (DRAIN-1, DRAIN-3)",
    ),
    "the result of another finish": (
        ("A finish failed f", "A -> true", "kept result completed"),
        "a continuation of result was called with completed, but that is not the value; the contract allows failed "
        "(RESULT-4, FINISH-4)",
    ),
    "an order against time": (
        ("A emit x", "A -> true", "B emit y", "B -> true", *TAPPED, "1 <- y 0"),
        "tap 1 was handed seq 0, but an emit that had returned before this one began has no seq below it (EMIT-11)",
    ),
    "a gap": (
        (*TAPPED, *EMITTED, "B emit y", "1 <- x 0", "1 .", "B -> true", "C emit z", "1 <- z 2"),
        "tap 1 was handed seq 2, but one was left out; the contract allows seq 1 (STREAM-7)",
    ),
    "a backlog that is lost": (
        (*EMITTED, "A emit y", "A -> true", *TAPPED, "1 <- y 1"),
        "tap 1 was handed seq 1, but the first tap gets the run from its beginning; the contract allows seq 0 "
        "(STREAM-1)",
    ),
    "a backlog for a later tap": (
        (*TAPPED, *EMITTED, "1 <- x 0", "B tap 2", "2 <- x 0"),
        "tap 2 was handed seq 0, but that was published before the tap was made; the contract allows seq 1 or a later "
        "one (STREAM-2)",
    ),
    "two events with one seq": (
        (*TAPPED, *EMITTED, "A emit y", "A -> true", "1 <- x 0", "1 .", "1 <- y 0"),
        "tap 1 was handed seq 0, but another event has that seq; the contract allows seq 1 (EMIT-2, EMIT-9)",
    ),
    "an event that was refused": (
        (*TAPPED, "A finish failed f", "A -> true", "A emit x", "A -> false", "1 <- x 0"),
        "tap 1 was handed seq 0, but its emit replied false; the contract allows another event as seq 0 "
        "(EMIT-4, FINISH-1)",
    ),
    "an event after the terminal": (
        (*TAPPED, "B emit x", "A finish failed f", "A -> true", "1 <- f 0", "1 .", "1 <- x 1"),
        "tap 1 was handed seq 1, but the terminal came before it; the contract allows nothing but done (STREAM-6)",
    ),
    "two callbacks of a tap at once": (
        (*TAPPED, *EMITTED, "A emit y", "A -> true", "1 <- x 0", "1 <- y 1"),
        "tap 1 was handed seq 1, but its callback for seq 0 had not returned; the contract allows nothing (STREAM-11)",
    ),
    "an event after close": (
        (*TAPPED, "A close 1", "A -> nothing", *EMITTED, "1 <- x 0"),
        "tap 1 was handed seq 0, but its close had returned; the contract allows nothing (STREAM-16)",
    ),
    "done before the terminal": (
        (*TAPPED, *EMITTED, "1 <- x 0", "1 .", "A finish failed f", "A -> true", "1 done"),
        "tap 1 was told done, but it has not been handed the terminal; the contract allows seq 1 (STREAM-4)",
    ),
    "done twice": (
        (*OVER, "1 done"),
        "tap 1 was told done, but it had been told done; the contract allows nothing (STREAM-4)",
    ),
    "a tap after the end is told done": (
        (*OVER, "A tap 2", "A -> nothing", "2 done"),
        "tap 2 was told done, but it was made when the stream was over; the contract allows nothing (STREAM-3)",
    ),
    "what is owed and does not come": (
        (*TAPPED, *EMITTED, "rest"),
        "everything has returned and nothing comes any more, but tap 1 to be handed seq 0 is owed (STREAM-7, EMIT-1)",
    ),
    "drained is forgotten": (
        ("A finish failed f", "A -> true", "kept result failed", "rest"),
        "everything has returned and nothing comes any more, but drained to be kept is owed (DRAIN-2, DRAIN-8)",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_in_a_sentence(what: str) -> None:
    lines, sentence = WRONG[what]
    verdict = check(history(*lines, hook="hook" in what or any("hook" in line for line in lines)))
    assert not verdict.allowed
    explanation = explain(verdict)
    assert explanation.sentence == sentence
    assert explanation.at == len(lines) - 1
    assert set(explanation.requirements) <= requirements().keys()


def test_a_history_that_is_allowed_needs_no_explanation() -> None:
    with pytest.raises(ValueError, match="nothing to explain"):
        explain(check(history(*FINISHED)))


def test_what_comes_later_does_not_change_what_is_to_blame() -> None:
    """The seq tells at once that the first emit had no place left; the contract is broken when it is handed over."""
    lines = ("A emit x", "A -> true", "B emit y", "B -> true", *TAPPED, "1 <- y 0", "1 .", "1 <- x 1")
    verdict = check(history(*lines))
    assert verdict.at == lines.index("A -> true")
    assert explain(verdict).at == lines.index("1 <- y 0")


# --- the table ----------------------------------------------------------------------------------------------------

TABLE = """\
     n  A                          B                           callbacks
     1  tap() as tap 1 -> nothing
     3  emit(log) ...
     4                             finish(run-failed) -> true
     6                                                         tap 1: seq 0
     8  ... emit(log) -> true
     9                                                         hook is called on B
>   10                                                         nothing more comes"""


def test_the_table_has_a_column_for_each_thread_and_time_goes_down() -> None:
    lines = (*TAPPED, "A emit x", "B finish failed f", "B -> true", "1 <- x 0", "1 .", "A -> true", "hook B", "rest")
    assert table(history(*lines), len(lines) - 1) == TABLE


def test_a_long_table_is_cut_at_its_beginning() -> None:
    lines = [line for _ in range(60) for line in ("A is_done", "A -> false")]
    shown = table(history(*lines), 119).splitlines()
    assert shown[1] == "  ... 20 lines before"
    assert len(shown) == 42
    assert shown[-1] == ">  119  is_done -> false"
