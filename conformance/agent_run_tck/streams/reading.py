"""Reads records back into moves of the grammar, to see whether a stream is one that the generator may call valid.

This is no linter: it stops at the first record that has no place, and it knows only what the generator writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agent_run_tck.index import taxonomy
from agent_run_tck.streams.consumer import TERMINALS, text_of
from agent_run_tck.streams.grammar import Move, State, take

_TS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_TYPES: Mapping[str, tuple[type, ...]] = {
    "integer": (int,),
    "number": (int, float),
    "string": (str,),
    "boolean": (bool,),
    "object": (dict,),
    "message object": (dict,),
    "array": (list,),
    "string or object": (str, dict),
}
_COUNTED = frozenset({
    "round-started", "attempt-started", "compaction-started", "compaction-done", "run-parked", "run-resumed",
    "run-failed", "run-cancelled",
})  # fmt: skip
_OF_ATTEMPT = frozenset({"token", "attempt-failed", "attempt-succeeded"})
_OF_TURN = frozenset({"assistant-message", "turn-committed", "turn-discarded"})
_MOVES: Mapping[str, str] = {
    "round-started": "RoundStartedWithin",
    "attempt-started": "AttemptStartedWithin",
    "token": "TokenWithin",
    "attempt-failed": "AttemptFailed",
    "attempt-succeeded": "AttemptSucceeded",
    "turn-committed": "TurnCommitted",
    "tool-call": "ToolCall",
    "tool-started": "ToolStarted",
    "tool-progress": "ToolProgress",
    "background-op-started": "BackgroundOpStarted",
    "background-op-delivered": "BackgroundOpDelivered",
    "run-parked": "RunParked",
    "run-resumed": "RunResumed",
    "run-completed": "RunCompleted",
    "run-failed": "RunFailed",
    "run-cancelled": "RunCancelled",
}


class Misplaced(Exception):
    """A record that the grammar has no place for."""


def _require(holds: object, what: str) -> None:
    if not holds:
        raise Misplaced(what)


def _fits(value: Any, field: Mapping[str, Any]) -> bool:
    if field["type"] == "any":
        return value is not None
    if isinstance(value, bool) and field["type"] != "boolean":
        return False
    closed = field.get("closed") and value not in field["values"]
    return isinstance(value, _TYPES[field["type"]]) and not closed


def _require_taxonomy(event: Mapping[str, Any]) -> None:
    kind = event.get("kind")
    _require(kind in taxonomy(), f"{kind!r} is no kind")
    _require(_TS.fullmatch(str(event.get("ts"))), "ts is malformed")
    for field in taxonomy()[str(kind)]["fields"]:
        name = field["name"]
        if name in event:
            _require(_fits(event[name], field), f"{name} has another type or value")
        else:
            _require(field["presence"] == "optional", f"{name} is missing")


class Reader:
    """Reads one stream; `state` is where its machine is."""

    def __init__(self) -> None:
        self.state = State()
        self._run_id: Any = None
        self._seq = 0
        self._round = 0
        self._counted = 0
        self._numbers = (0, 0)
        self._op_kinds: dict[str, str] = {}
        self._waiting: list[str] = []
        self._children: dict[str, Reader] = {}
        self._call_ids: dict[str, Any] = {}

    def read(self, event: Mapping[str, Any]) -> None:
        """Take one more record; Misplaced when it has no place."""
        self._require_envelope(event)
        _require_taxonomy(event)
        self._require_numbers(event)
        move = self._move(event)
        if event["kind"] in ("round-started", "attempt-started"):
            self._round = event["round"]
        after = take(self.state, move)
        _require(after is not None, f"{event['kind']} has no place in turn {self.state.turn}")
        if event["kind"] == "attempt-started":
            self._numbers = (event["round"], event["attempt"])
        assert after is not None
        self.state = after

    def _require_envelope(self, event: Mapping[str, Any]) -> None:
        run_id, seq = event.get("run-id"), event.get("seq")
        if self._seq == 0:
            self._run_id = run_id
        _require(isinstance(run_id, str) and run_id == self._run_id, "another run-id")
        _require(type(seq) is int and seq == self._seq, f"seq is {seq}, not {self._seq}")
        self._seq += 1

    def _require_numbers(self, event: Mapping[str, Any]) -> None:
        kind, round, attempt = event["kind"], event.get("round"), event.get("attempt")
        _require(round is None or round >= 1, "round is below 1")
        if kind in _COUNTED and round is not None:
            _require(round >= self._counted, "round goes back")
            self._counted = round
        if kind == "attempt-started":
            expected = self.state.attempt + 1 if round == self._round else 1
            _require(attempt == expected, "attempt jumps")
        if kind in _OF_ATTEMPT:
            _require(round in (None, self._numbers[0]), "round of another attempt")
            _require(attempt in (None, self._numbers[1]), "another attempt")
        if kind in _OF_TURN:
            _require(round in (None, self._round), "round of another turn")
        if kind == "round-started":
            _require(round is not None and round > self._round, "a round again")

    # --- from records to moves ------------------------------------------------------------------------------

    def _move(self, event: Mapping[str, Any]) -> Move:
        kind = event["kind"]
        if kind == "token":
            return Move("TokenWithin", text=(event["text"],))
        if kind == "assistant-message":
            return self._message(event["message"])
        if kind == "turn-discarded":
            return Move(f"TurnDiscarded{event['reason'].title()}")
        if kind == "tool-result":
            return Move("ToolResultError" if event["is-error"] else "ToolResultGood", event["id"])
        if kind == "tool-abandoned":
            return Move(f"ToolAbandoned{'D' if event['dispatched'] else 'Und'}ispatched", event["id"])
        if kind.startswith("background-op-"):
            return self._op(event)
        if kind == "subagent":
            return self._child(event)
        if kind == "run-parked":
            self._require_inventory(event)
        if kind == "attempt-started" and event["round"] > self._round:
            return Move("AttemptOfNextRoundWithin")
        if kind not in _MOVES:
            _require(kind == "log" or not self.state.parked, f"{kind} while parked")
        return Move(_MOVES.get(kind, "Log"), event["id"] if kind.startswith("tool-") else None)

    def _message(self, message: Mapping[str, Any]) -> Move:
        text, streamed = text_of(message), "".join(self.state.streamed)
        _require(text is None or not self.state.streamed or text == streamed, "the text is not what was streamed")
        return Move("AssistantMessageWithText" if text else "AssistantMessageWithoutText", text=(text or "",))

    def _op(self, event: Mapping[str, Any]) -> Move:
        kind, op, op_kind = event["kind"], event.get("op-id"), event["op-kind"]
        if kind == "background-op-started":
            self._op_kinds[str(op)] = op_kind
            return Move("BackgroundOpStarted", op)
        if kind == "background-op-settled":
            self._waiting += [] if event["collected"] else [str(op)]
            return Move(f"BackgroundOpSettled{'Collected' if event['collected'] else 'Owed'}", op)
        if op is None:
            op = next((each for each in self._waiting if self._op_kinds.get(each) == op_kind), None)
            if op is None:
                return Move("Log" if not self.state.parked else "BackgroundOpDelivered")
        _require(op in self._waiting, "a delivery of what does not wait")
        self._waiting.remove(str(op))
        return Move("BackgroundOpDelivered", op)

    def _require_inventory(self, event: Mapping[str, Any]) -> None:
        ids = [item.get("op-id") if isinstance(item, dict) else item for item in event["ops"]]
        _require(event["outstanding"] == len(ids), "outstanding is not the number of ops")
        named = [id for id in ids if id in self.state.started]
        _require(named == [id for id in self.state.started if id in named], "ops are not in the order of their start")

    def _child(self, event: Mapping[str, Any]) -> Move:
        agent, inner = event["agent-id"], event["inner"]
        _require(self._call_ids.setdefault(agent, event.get("call-id")) == event.get("call-id"), "another call-id")
        reader = self._children.get(agent)
        if reader is None or (inner.get("seq") == 0 and inner.get("run-id") != reader._run_id):
            self._children[agent] = reader = Reader()
            reader.read(inner)
            return Move("ChildBegins", agent)
        reader.read(inner)
        return Move("ChildEnds" if inner["kind"] in TERMINALS else "ChildGoesOn", agent)


def states(stream: Iterable[Mapping[str, Any]]) -> list[State]:
    """The state before each record and after the last; Misplaced when a record has no place."""
    reader, found = Reader(), [State()]
    for event in stream:
        reader.read(event)
        found.append(reader.state)
    return found


def accepts(stream: Sequence[Mapping[str, Any]]) -> bool:
    """Whether every record has its place, and the last one is the terminal."""
    try:
        return states(stream)[-1].ended != "no"
    except Misplaced:
        return False
