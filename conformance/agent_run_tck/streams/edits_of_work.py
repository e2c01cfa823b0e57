"""Edits that break the rules on calls, operations, parks and children: TOOL-1 to SUB-3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent_run_tck.streams.consumer import TERMINALS
from agent_run_tck.streams.editing import (
    Edit,
    Event,
    Found,
    Stream,
    changed,
    cut,
    doubled,
    inserted,
    of_kind,
    removed,
    without_key,
)

_CALL_ENDS = ("tool-result", "tool-abandoned")


def _without_a_proposal(stream: Stream) -> Found:
    for at in of_kind(stream, "tool-call"):
        yield removed(stream, at)


def _without_a_start(stream: Stream) -> Found:
    for at in of_kind(stream, "tool-started"):
        if stream.next_of_call(at) == "tool-progress":
            yield removed(stream, at)


def _never_ended(stream: Stream) -> Found:
    for at in of_kind(stream, *_CALL_ENDS):
        yield removed(stream, at)


def _said_twice(stream: Stream) -> Found:
    for at in of_kind(stream, "tool-call", "tool-started"):
        yield doubled(stream, at)


def _flag_flipped(stream: Stream) -> Found:
    for at in of_kind(stream, "tool-abandoned"):
        yield changed(stream, at, dispatched=not stream.events[at]["dispatched"])
    for at in of_kind(stream, "tool-started"):
        if stream.next_of_call(at) == "tool-abandoned":
            yield removed(stream, at)


def _after_its_end(stream: Stream) -> Found:
    for at in of_kind(stream, *_CALL_ENDS):
        id, later = stream.events[at]["id"], stream.rest_of_round(at)
        for place in {at + 1, at + 1 + len(later)}:
            if stream.states[place].ended == "no" and not stream.states[place].parked:
                yield inserted(stream, place, "tool-progress", {"id": id, "progress": 1})
                yield inserted(stream, place, "tool-call", {"id": id, "name": "again"})
                yield inserted(stream, place, "tool-result", {"id": id, "content": "late", "is-error": False})


# --- BG and PARK ------------------------------------------------------------------------------------------


def _never_started(stream: Stream) -> Found:
    for at in of_kind(stream, "background-op-started"):
        if stream.next_of_op(at) == "background-op-settled":
            yield removed(stream, at)


def _op_twice(stream: Stream) -> Found:
    for at in of_kind(stream, "background-op-started", "background-op-settled"):
        yield doubled(stream, at)


def _delivered_though_collected(stream: Stream) -> Found:
    for at in of_kind(stream, "background-op-settled"):
        if not stream.events[at]["collected"] and stream.next_of_op(at) == "background-op-delivered":
            yield changed(stream, at, collected=True)


def _delivered_too_often(stream: Stream) -> Found:
    for at in of_kind(stream, "background-op-delivered"):
        if "op-id" in stream.events[at]:
            yield doubled(stream, at)
    for at in of_kind(stream, "background-op-started"):
        known = {key: stream.events[at][key] for key in ("op-id", "op-kind")}
        yield inserted(stream, at + 1, "background-op-delivered", known)


def _never_settled(stream: Stream) -> Found:
    for at in of_kind(stream, "background-op-settled"):
        if not stream.events[at]["collected"] and stream.next_of_op(at) == "background-op-delivered":
            yield removed(stream, at)


def _inventory(stream: Stream) -> Found:
    for at in of_kind(stream, "run-parked"):
        ops = stream.events[at]["ops"]
        yield changed(stream, at, outstanding=len(ops) + 1)
        if ops:
            yield changed(stream, at, ops=[*ops, ops[0]], outstanding=len(ops) + 1)
            yield changed(stream, at, ops=[])
        if len(ops) > 1:
            yield changed(stream, at, ops=ops[::-1])


def _no_turns(stream: Stream) -> Found:
    for at in of_kind(stream, "run-parked", "run-resumed"):
        yield doubled(stream, at)
    for at in of_kind(stream, "run-parked"):
        yield removed(stream, at)


def _busy_while_parked(stream: Stream) -> Found:
    for at, state in stream.places():
        if state.parked:
            yield inserted(stream, at, "limit-reached", {"limit": "tool-calls"})
            yield inserted(stream, at, "ask-pending", {"request": {"path": "a"}})
            yield inserted(stream, at, "tool-call", {"id": "while-parked", "name": "late"})


def _never_resumed(stream: Stream) -> Found:
    for at in of_kind(stream, "run-resumed"):
        following = (event["kind"] for event in stream.events[at + 1 :])
        first = next(kind for kind in following if kind not in ("log", "subagent", "background-op-settled"))
        if first != "run-parked":
            yield removed(stream, at)


# --- SUB --------------------------------------------------------------------------------------------------


def _inner_gap(stream: Stream) -> Found:
    for at, later in stream.wrappers():
        if later and stream.events[later[0]]["inner"]["seq"] > 0:
            yield removed(stream, at)


def _inner_twice(stream: Stream) -> Found:
    for at in of_kind(stream, "subagent"):
        yield doubled(stream, at)


def _inner_run_id(stream: Stream) -> Found:
    for at in of_kind(stream, "subagent"):
        inner = stream.events[at]["inner"]
        if inner["seq"] > 0:
            yield changed(stream, at, inner={**inner, "run-id": "another"})


def _after_the_inner_end(stream: Stream) -> Found:
    for at in of_kind(stream, "subagent"):
        event = stream.events[at]
        inner = event["inner"]
        if inner["kind"] in TERMINALS:
            late = {**inner, "kind": "log", "level": "info", "data": "late", "seq": inner["seq"] + 1}
            log = {key: late[key] for key in ("kind", "ts", "run-id", "seq", "level", "data")}
            yield inserted(stream, at + 1, "subagent", {**_wrapper(event), "inner": log})


def _wrapper(event: Event) -> dict[str, Any]:
    return {key: event[key] for key in ("agent-id", "agent-type", "call-id") if key in event}


def _other_call_id(stream: Stream) -> Found:
    for at, later in stream.wrappers():
        if later:
            yield changed(stream, later[-1], **{"call-id": "another"})
            yield changed(stream, at, **{"call-id": "another"})
            if "call-id" in stream.events[at]:
                yield without_key(stream, later[0], "call-id")


def _child_ends_it(stream: Stream) -> Found:
    for at in of_kind(stream, "subagent"):
        if stream.events[at]["inner"]["kind"] in TERMINALS:
            yield cut(stream, at + 1)


EDITS_OF_WORK: Mapping[str, tuple[Edit, ...]] = {
    "TOOL-1": (_without_a_proposal, _without_a_start, _never_ended, _said_twice),
    "TOOL-2": (_flag_flipped,),
    "TOOL-3": (_after_its_end,),
    "BG-1": (_never_started, _op_twice),
    "BG-2": (_delivered_though_collected, _delivered_too_often, _never_settled),
    "PARK-1": (_inventory, _no_turns),
    "PARK-2": (_busy_while_parked, _never_resumed),
    "SUB-1": (_inner_gap, _inner_twice, _inner_run_id, _after_the_inner_end),
    "SUB-2": (_other_call_id,),
    "SUB-3": (_child_ends_it,),
}
