"""VIEW: what a consumer shows of a stream, at every prefix of it."""

from typing import Any

import pytest

from agent_run_tck.case import Case
from agent_run_tck.streams.generator import Event
from agent_run_tck.suite.marks import OUTCOMES, requirement
from agent_run_tck.suite.views import assert_shown, for_streams, rendered, stream, without_tokens

ATTEMPT = {"round": 1, "backend-index": 0}
FAILED = {"kind": "attempt-failed", **ATTEMPT, "attempt": 1, "error": "500", "disposition": "retry-same"}
COMMITTED = {"kind": "turn-committed"}
COMPLETED = {"kind": "run-completed", "final": ""}

CALL = {"kind": "tool-call", "id": "c1", "name": "pay"}
CALL_STARTED = {"kind": "tool-started", "id": "c1", "name": "pay"}
ENDS = {
    "unknown": {"kind": "tool-abandoned", "id": "c1", "name": "pay", "reason": "deadline", "dispatched": True},
    "not-run": {"kind": "tool-abandoned", "id": "c1", "name": "pay", "reason": "cancelled", "dispatched": False},
    "failed": {"kind": "tool-result", "id": "c1", "content": "no", "is-error": True},
    "answered": {"kind": "tool-result", "id": "c1", "content": "yes", "is-error": False},
}


def started(attempt: int = 1) -> Event:
    return {"kind": "attempt-started", **ATTEMPT, "attempt": attempt, "model": "m"}


def succeeded(attempt: int = 1) -> Event:
    return {"kind": "attempt-succeeded", **ATTEMPT, "attempt": attempt, "usage": {}}


def token(text: str, **keys: Any) -> Event:
    return {"kind": "token", "text": text, **keys}


def message(content: Any) -> Event:
    return {"kind": "assistant-message", "message": {"role": "assistant", "content": content}}


def discarded(reason: str) -> Event:
    return {"kind": "turn-discarded", "reason": reason}


def round_started(number: int = 1) -> Event:
    return {"kind": "round-started", "round": number}


@requirement("VIEW-1")
@pytest.mark.parametrize("keys", [{}, {"round": 1, "attempt": 2}], ids=["token alone", "token with its attempt"])
def test_a_retry_says_its_answer_from_the_beginning(case: Case, keys: Event) -> None:
    events = stream(
        round_started(), started(), token("Hel"), FAILED, started(2), token("Hello", **keys), token("!"), succeeded(2),
        message("Hello!"), COMMITTED, COMPLETED,
    )  # fmt: skip
    assert_shown(case, "VIEW-1", events)


@requirement("VIEW-1")
def test_what_opens_and_closes_nothing_changes_nothing(case: Case) -> None:
    strange = {"kind": "of-tomorrow", "text": "x", "id": "c1", "message": {"content": "x"}}
    between: list[Event] = [
        {"kind": "log", "level": "info", "data": "x"},
        {"kind": "limit-reached", "limit": "tool-calls"},
        strange,
    ]
    answer = [token("He"), *between, token("llo"), succeeded(), *between, message("Hello"), *between, COMMITTED]
    assert_shown(case, "VIEW-1", stream(*between, round_started(), started(), *answer, *between, COMPLETED))


@requirement("VIEW-1", patience=4)
def test_tokens_are_shown_until_the_end_of_their_scope(case: Case) -> None:
    for_streams(case, lambda events: assert_shown(case, "VIEW-1", events))


@requirement("VIEW-2")
def test_a_failed_attempt_takes_its_tokens_with_it_at_once(case: Case) -> None:
    said = [succeeded(), message("Before"), COMMITTED, started(2), token("Hel"), token("lo")]
    failed = {**FAILED, "attempt": 2, "disposition": "abort"}
    events = stream(round_started(), started(), *said, failed, discarded("failed"), COMPLETED)
    assert_shown(case, "VIEW-2", events)


@requirement("VIEW-2", patience=4)
def test_every_failed_attempt_takes_its_tokens_back(case: Case) -> None:
    for_streams(case, lambda events: assert_shown(case, "VIEW-2", events))


@requirement("VIEW-3")
@pytest.mark.parametrize("reason", ["limit", "failed", "cancelled"])
def test_a_discarded_turn_is_removed_though_it_was_streamed_in_full(case: Case, reason: str) -> None:
    before = [round_started(), started(), token("Before"), succeeded(), message("Before"), COMMITTED]
    again = [{**event, "round": 2} for event in (started(), succeeded())]
    events = stream(*before, round_started(2), again[0], token("I need a tool"), again[1], discarded(reason), COMPLETED)
    assert_shown(case, "VIEW-3", events)


@requirement("VIEW-3")
def test_a_turn_that_is_cancelled_in_the_middle_of_an_attempt_is_removed(case: Case) -> None:
    events = stream(round_started(), started(), token("I ne"), discarded("cancelled"), {"kind": "run-cancelled"})
    assert_shown(case, "VIEW-3", events)


@requirement("VIEW-3", patience=4)
def test_every_discarded_turn_is_removed(case: Case) -> None:
    for_streams(case, lambda events: assert_shown(case, "VIEW-3", events))


PARTS = [{"type": "text", "text": "Hel"}, {"type": "image", "url": "a.png"}, {"type": "text", "text": "lo"}]


@requirement("VIEW-4")
@pytest.mark.parametrize("streamed", ["Hello", ""], ids=["streamed", "not streamed"])
@pytest.mark.parametrize("content", ["Hello", PARTS], ids=["text", "parts"])
def test_a_message_is_shown_once_with_its_own_text(case: Case, streamed: str, content: Any) -> None:
    tokens = [token(streamed)] if streamed else []
    events = stream(round_started(), started(), *tokens, succeeded(), message(content), COMMITTED, COMPLETED)
    assert_shown(case, "VIEW-4", events)


@requirement("VIEW-4")
def test_a_message_is_shown_whoever_says_it(case: Case) -> None:
    said = {"kind": "assistant-message", "message": {"content": "Hello"}}
    assert_shown(case, "VIEW-4", stream(round_started(), started(), succeeded(), said, COMMITTED, COMPLETED))


@requirement("VIEW-4")
@pytest.mark.parametrize(
    "content",
    [{"blocks": 1}, 7, ["Hi"], [{"type": "text", "text": 7}], [1, {"type": "text", "text": "Hi"}], [{"type": "text"}]],
    ids=["a map", "a number", "a list of texts", "a part whose text is a number", "no parts", "a part without a text"],
)
def test_a_content_without_a_text_is_shown_as_an_empty_message(case: Case, content: Any) -> None:
    events = stream(round_started(), started(), token("Hi"), succeeded(), message(content), COMMITTED, COMPLETED)
    assert_shown(case, "VIEW-4", events)


@requirement("VIEW-4", patience=4)
def test_every_message_replaces_what_was_streamed(case: Case) -> None:
    for_streams(case, lambda events: assert_shown(case, "VIEW-4", events))


@requirement("VIEW-5", patience=4)
def test_the_conversation_is_the_same_without_tokens(case: Case) -> None:
    def check(events: list[Event]) -> None:
        quiet: list[Event] = []
        for count, event in without_tokens(events):
            quiet.append(event)
            loud = rendered(case, events[:count])
            view = rendered(case, quiet)
            for key in ("conversation", "calls", "ended"):
                assert view.get(key) == loud.get(key), (
                    f"after the {event['kind']} with seq {count - 1}, {key} is {view.get(key)!r} without the tokens of "
                    f"the stream and {loud.get(key)!r} with them; it must be the same\n"
                    f"the kinds of the records: {', '.join(each['kind'] for each in events[:count])}"
                )

    for content in ("Hello", {"blocks": 1}):
        answer = (started(), token("He"), token("llo"), succeeded(), message(content), COMMITTED)
        check(stream(round_started(), *answer, COMPLETED))
    for_streams(case, check)


def of_child(*inner: Event, run_id: str = "child") -> list[Event]:
    wrapper = {"kind": "subagent", "agent-id": "a", "agent-type": "explore"}
    return [{**wrapper, "inner": record} for record in stream(*inner, run_id=run_id)]


@requirement("VIEW-6")
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_the_child_of_a_child_leaves_both_alone(case: Case, outcome: str) -> None:
    end = {"kind": f"run-{outcome}", "error": "e", "attempts": [], "final": "x"}
    words = of_child(*of_child(round_started(), started(), token("x"), CALL, ENDS["failed"], end))
    events = stream(round_started(), CALL, started(), token("The "), *words, token("end"))
    assert_shown(case, "VIEW-6", events)


@requirement("VIEW-6")
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_child_that_speaks_and_ends_leaves_its_parent_alone(case: Case, outcome: str) -> None:
    end = {"kind": f"run-{outcome}", "error": "e", "attempts": [], "final": "x"}
    words = of_child(
        round_started(), started(), token("x"), succeeded(), message("x"), COMMITTED,
        CALL, ENDS["failed"], end,
    )  # fmt: skip
    between = [record for word in words for record in (word, token("."))]
    text = "The " + "." * len(words)
    events = stream(
        round_started(), {"kind": "tool-call", "id": "c1", "name": "task"}, started(), token("The "), *between,
        succeeded(), message(text), COMMITTED, {"kind": "tool-result", "id": "c1", "content": "", "is-error": False},
        COMPLETED,
    )  # fmt: skip
    assert_shown(case, "VIEW-6", events)


@requirement("VIEW-6")
def test_a_child_that_is_restarted_is_shown_afresh_where_it_is_shown(case: Case) -> None:
    first = of_child(round_started(), started(), token("lost"), CALL)
    again = of_child(round_started(), started(), token("x"), run_id="again")
    assert_shown(case, "VIEW-6", stream(round_started(), *first, *again, COMPLETED))


@requirement("VIEW-6", patience=4)
def test_no_child_touches_its_parent(case: Case) -> None:
    for_streams(case, lambda events: assert_shown(case, "VIEW-6", events))


@requirement("VIEW-7")
@pytest.mark.parametrize("state", ENDS)
def test_a_call_is_shown_as_what_is_known_of_it(case: Case, state: str) -> None:
    begun: list[Event] = (
        [] if state == "not-run" else [CALL_STARTED, {"kind": "tool-progress", "id": "c1", "progress": 0.5}]
    )
    other = {"kind": "tool-call", "id": "c2", "name": "pay"}
    events = stream(CALL, *begun, other, ENDS[state], {**ENDS["answered"], "id": "c2"}, COMPLETED)
    assert_shown(case, "VIEW-7", events)


@requirement("VIEW-7")
def test_an_id_that_is_used_again_shows_its_latest_call(case: Case) -> None:
    events = stream(
        round_started(), CALL, ENDS["failed"], round_started(2), CALL, CALL_STARTED, ENDS["answered"], COMPLETED
    )
    assert_shown(case, "VIEW-7", events)


@requirement("VIEW-7", patience=4)
def test_every_call_is_shown_as_what_is_known_of_it(case: Case) -> None:
    for_streams(case, lambda events: assert_shown(case, "VIEW-7", events))
