"""Edits that break the rules on records, attempts and turns: GRAM-1 to FRAME-6."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from agent_run_tck.streams.consumer import TERMINALS, text_of
from agent_run_tck.streams.editing import (
    Edit,
    Event,
    Found,
    Stream,
    changed,
    doubled,
    inserted,
    of_kind,
    removed,
    without_key,
)

TURN_KINDS = frozenset({"attempt-started", "round-started", *TERMINALS})
OTHER_TEXT = "something else"


def _next(stream: Stream, at: int, kinds: frozenset[str]) -> str | None:
    """The next kind among these after the place."""
    return next((event["kind"] for event in stream.events[at + 1 :] if event["kind"] in kinds), None)


def _seq_gap(stream: Stream) -> Found:
    for at in range(len(stream.events) - 1):
        yield f"record {at} is left out", partial(_left_out, stream, at)


def _left_out(stream: Stream, at: int) -> list[Event]:
    return stream.events[:at] + stream.events[at + 1 :]


def _seq_twice(stream: Stream) -> Found:
    for at in range(1, len(stream.events)):
        yield changed(stream, at, seq=at - 1)


def _without_envelope(stream: Stream) -> Found:
    for at in range(len(stream.events)):
        yield without_key(stream, at, "seq")
        yield without_key(stream, at, "run-id")


def _after_the_end(stream: Stream) -> Found:
    yield inserted(stream, len(stream.events), "log", {"level": "info", "data": "late"})
    yield inserted(stream, len(stream.events), "run-failed", {"error": "late", "attempts": []})


def _no_terminal(stream: Stream) -> Found:
    if len(stream.events) > 1 and stream.events[-2]["kind"] != "subagent":
        yield removed(stream, len(stream.events) - 1)


def _missing_key(stream: Stream) -> Found:
    for at, kind, key in stream.keys_with(lambda field: field["presence"] != "optional"):
        if (kind, key) not in _TELLING:
            yield without_key(stream, at, key)


# What is read for more than itself: without it other rules would be broken first.
_TELLING = {("subagent", "inner"), ("subagent", "agent-id")}


def _wrong_type(stream: Stream) -> Found:
    for at, _, key in stream.keys_with(lambda field: field["type"] in ("string", "integer") and field["name"] != "seq"):
        yield changed(stream, at, **{key: [1]})


def _closed_value(stream: Stream) -> Found:
    for at, _, key in stream.keys_with(lambda field: field.get("closed", False)):
        yield changed(stream, at, **{key: "of-tomorrow"})


def _null(stream: Stream) -> Found:
    for at, _, key in stream.keys_with(lambda field: field["presence"] == "optional" and field["type"] != "any"):
        yield changed(stream, at, **{key: None})


def _wrong_ts(stream: Stream) -> Found:
    for at, event in enumerate(stream.events):
        for ts in (event["ts"][:-8] + "Z", event["ts"][:-1], event["ts"][:-1] + "+00:00", 1.5):
            yield changed(stream, at, ts=ts)


def _attempt_jumps(stream: Stream) -> Found:
    for at in of_kind(stream, "attempt-started"):
        if all(event["kind"] != "attempt-started" for event in stream.rest_of_round(at)):
            yield f"attempt at {at} counts one up", partial(_jumped, stream, at)


def _jumped(stream: Stream, at: int) -> list[Event]:
    """The last attempt of a round under the next number, and all that name it."""
    attempt = stream.events[at]["attempt"]
    end = at + len(stream.rest_of_round(at))
    return [
        {**event, "attempt": attempt + 1} if at <= place <= end and event.get("attempt") == attempt else event
        for place, event in enumerate(stream.events)
    ]


def _round_back(stream: Stream) -> Found:
    for at, state in stream.places():
        latest = stream.round_before(at)
        if latest > 1 and not state.parked:
            yield inserted(stream, at, "compaction-started", {"round": latest - 1})


def _round_zero(stream: Stream) -> Found:
    for at, state in stream.places():
        if not state.parked:
            yield inserted(stream, at, "compaction-done", {"round": 0, "fallback": False})


# --- FRAME ------------------------------------------------------------------------------------------------


def _token_outside(stream: Stream) -> Found:
    for at, state in stream.places():
        if state.turn != "attempt" and not state.parked:
            yield inserted(stream, at, "token", {"text": "stray"})


def _token_of_another(stream: Stream) -> Found:
    for at in of_kind(stream, "token"):
        yield changed(stream, at, attempt=stream.states[at].attempt + 1)
        yield changed(stream, at, round=stream.round_before(at) + 1)


def _attempt_left_open(stream: Stream) -> Found:
    for at in of_kind(stream, "attempt-failed", "attempt-succeeded"):
        if _next(stream, at, TURN_KINDS | {"turn-discarded", "assistant-message", "turn-committed"}) not in TERMINALS:
            yield removed(stream, at)


def _attempt_closed_twice(stream: Stream) -> Found:
    for at in of_kind(stream, "attempt-failed", "attempt-succeeded"):
        yield doubled(stream, at)


def _end_of_another_attempt(stream: Stream) -> Found:
    for at in of_kind(stream, "attempt-failed", "attempt-succeeded"):
        yield changed(stream, at, attempt=stream.events[at]["attempt"] + 1)


def _open_attempt_discarded(stream: Stream) -> Found:
    for at in of_kind(stream, "turn-discarded"):
        if stream.states[at].turn == "attempt":
            yield changed(stream, at, reason="limit")
            yield changed(stream, at, reason="failed")


def _success_passed_over(stream: Stream) -> Found:
    for at in of_kind(stream, "turn-discarded"):
        if stream.states[at].turn == "answered":
            yield removed(stream, at)


def _half_a_commit(stream: Stream) -> Found:
    for at in of_kind(stream, "turn-committed", "assistant-message"):
        if _next(stream, at, TURN_KINDS) not in TERMINALS:
            yield removed(stream, at)


def _turn_ends_twice(stream: Stream) -> Found:
    for at in of_kind(stream, "turn-committed", "assistant-message", "turn-discarded"):
        yield doubled(stream, at)
    for at in of_kind(stream, "turn-committed"):
        yield inserted(stream, at + 1, "turn-discarded", {"reason": "limit"})


def _turn_left_open(stream: Stream) -> Found:
    for at in of_kind(stream, "turn-discarded"):
        if stream.states[at].turn == "between" and _next(stream, at, TURN_KINDS) == "round-started":
            yield removed(stream, at)


def _end_of_another_turn(stream: Stream) -> Found:
    for at in of_kind(stream, "turn-committed", "assistant-message", "turn-discarded"):
        yield changed(stream, at, round=stream.round_before(at) + 1)


def _text_differs(stream: Stream) -> Found:
    for at in of_kind(stream, "assistant-message"):
        message = stream.events[at]["message"]
        if stream.states[at].streamed and text_of(message) is not None:
            yield changed(stream, at, message={**message, "content": OTHER_TEXT})
    for at in of_kind(stream, "token"):
        if stream.events[at]["text"]:
            yield changed(stream, at, text=OTHER_TEXT)


def _open_at_the_end(stream: Stream) -> Found:
    for at in of_kind(stream, "turn-committed", "assistant-message", "turn-discarded"):
        is_answered = stream.events[at]["kind"] == "turn-discarded" and stream.states[at].turn == "answered"
        if _next(stream, at, TURN_KINDS) in TERMINALS and not is_answered:
            yield removed(stream, at)


EDITS_OF_TURNS: Mapping[str, tuple[Edit, ...]] = {
    "GRAM-1": (_seq_gap, _seq_twice, _without_envelope, _after_the_end, _no_terminal),
    "GRAM-2": (_missing_key, _wrong_type, _closed_value, _null, _wrong_ts),
    "GRAM-3": (_attempt_jumps, _round_back, _round_zero),
    "FRAME-1": (_token_outside, _token_of_another),
    "FRAME-2": (_attempt_left_open, _attempt_closed_twice, _end_of_another_attempt, _open_attempt_discarded),
    "FRAME-3": (_success_passed_over,),
    "FRAME-4": (_half_a_commit, _turn_ends_twice, _turn_left_open, _end_of_another_turn),
    "FRAME-5": (_text_differs,),
    "FRAME-6": (_open_at_the_end,),
}
