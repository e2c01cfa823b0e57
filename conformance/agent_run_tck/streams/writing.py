"""Writes streams: a walk through the grammar, each move as a record with all that a record has."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from attrs import define, frozen

from agent_run_tck.streams.consumer import TERMINALS
from agent_run_tck.streams.grammar import CALL_ACTIONS, CHILD_ACTIONS, OP_ACTIONS, Move, State, take
from agent_run_tck.streams.payloads import ABSENT, TEXTS, payload

Event = dict[str, Any]

CALLS, OPS, AGENTS, DEEPEST = 4, 3, 2, 2
"""How many a stream has at the most, and how deep children nest."""

# How often each move is tried; ChildEnds follows from what the child does.
_WEIGHTS: Mapping[str, float] = {
    "RoundStartedWithin": 4, "AttemptStartedWithin": 6, "AttemptOfNextRoundWithin": 0.5,
    "TokenWithin": 8, "AttemptFailed": 2, "AttemptSucceeded": 3,
    "AssistantMessageWithText": 5, "AssistantMessageWithoutText": 1, "TurnCommitted": 4,
    "TurnDiscardedLimit": 1, "TurnDiscardedFailed": 1, "TurnDiscardedCancelled": 0.5,
    "ToolCall": 4, "ToolStarted": 4, "ToolProgress": 3, "ToolResultGood": 2, "ToolResultError": 1,
    "ToolAbandonedUndispatched": 1, "ToolAbandonedDispatched": 1,
    "BackgroundOpStarted": 2, "BackgroundOpSettledCollected": 1, "BackgroundOpSettledOwed": 2,
    "BackgroundOpDelivered": 2, "RunParked": 3, "RunResumed": 0.6, "ChildBegins": 1, "ChildGoesOn": 6, "Log": 2,
    "RunCompleted": 0.1, "RunFailed": 0.1, "RunCancelled": 0.1,
}  # fmt: skip
_CLOSING = frozenset({
    "AttemptFailed", "AttemptSucceeded", "AssistantMessageWithText", "TurnCommitted", "TurnDiscardedLimit",
    "TurnDiscardedFailed", "TurnDiscardedCancelled", "ToolResultGood", "ToolResultError", "ToolAbandonedUndispatched",
    "ToolAbandonedDispatched", "RunResumed", "RunCompleted", "RunFailed", "RunCancelled",
})  # fmt: skip
_TEXTLESS: tuple[Any, ...] = (7, {"blocks": 1}, ["Hi"], [{"type": "text", "text": 7}])
_ENDINGS = frozenset({"RunCompleted", "RunFailed", "RunCancelled"})
_ANY_TIME = ("log",)
_UNPARKED = (
    "log", "log", "log", "ask-pending", "ask-answered", "limit-reached", "compaction-started", "compaction-done",
    "background-op-delivered",
)  # fmt: skip
_CHOICES = {
    (closing, ends): tuple(zip(*(
        (name, weight) for name, weight in _WEIGHTS.items()
        if (name in _CLOSING or not closing) and (name not in _ENDINGS or ends)
    ), strict=True))
    for closing, ends in itertools.product((False, True), repeat=2)
}  # fmt: skip


@frozen
class Agent:
    """What all wrappers of one child say."""

    id: str
    type: str
    call_id: Any


@define
class Child:
    agent: Agent
    writer: Writer


class Writer:
    """Writes one stream, record by record, of about `size` moves and then what it takes to end it.

    `next` lets chance choose, `write` writes a given move; do not call either after the terminal. Not for several
    threads at once.
    """

    def __init__(self, random: Random, size: int, depth: int = 0) -> None:
        self.random = random
        self.state = State()
        self.run_id = str(uuid.UUID(int=random.getrandbits(128), version=4))
        self._left = size
        self._depth = depth
        self._seq = 0
        self._round = 0
        self._now = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(microseconds=random.randrange(10**15))
        self._names = f"{random.randrange(1000)}"
        self._op_kinds: dict[int, str] = {}
        self._waiting: list[int] = []
        self._children: dict[int, Child] = {}

    @property
    def is_over(self) -> bool:
        return self.state.ended != "no"

    # --- choosing -------------------------------------------------------------------------------------------

    def next(self, ends: bool = True) -> Event:
        """One more record, a terminal only if `ends`."""
        self._left -= 1
        move = self._first() if self._seq == 0 else self._chosen(ends)
        if move.name == "ChildGoesOn":
            return self._child_goes_on(move.id, self._children[move.id].writer.next())
        return self._written(move)

    def _first(self) -> Move:
        return Move("Log") if self.random.random() < 0.9 else self._chosen(ends=False)

    def _chosen(self, ends: bool) -> Move:
        names, weights = _CHOICES[self._left <= 0, ends]
        for _ in range(500):
            (name,) = self.random.choices(names, weights)
            move = Move(name, self._id(name))
            if self._may(move):
                return move
        return Move("Log")

    def _id(self, name: str) -> int | None:
        for actions, most in ((CALL_ACTIONS, CALLS), (OP_ACTIONS, OPS), (CHILD_ACTIONS, AGENTS)):
            if name in actions:
                return self.random.randint(1, most)
        return None

    def _may(self, move: Move) -> bool:
        if move.name == "ChildBegins" and (self._depth >= DEEPEST or self.random.random() < 0.5 * len(self._children)):
            return False
        return take(self.state, move) is not None

    # --- writing --------------------------------------------------------------------------------------------

    def write(self, move: Move) -> list[Event]:
        """The records of this move: one, or as many as a child needs to come to its end."""
        if move.name == "ChildGoesOn":
            return [self._child_goes_on(move.id, self._children[move.id].writer.next(ends=False))]
        if move.name != "ChildEnds":
            return [self._written(move)]
        child, events = self._children[move.id].writer, []
        child._left = 0
        while not child.is_over:
            events.append(self._child_goes_on(move.id, child.next()))
        return events

    def _written(self, move: Move) -> Event:
        if move.name == "ChildBegins":
            return self._child_begins(move.id)
        move = self._with_text(move)
        before, after = self.state, take(self.state, move)
        assert after is not None, f"{move.label} has no place here"
        self.state = after
        kind, given = self._facts(move, before)
        return self._event(kind, given)

    def _with_text(self, move: Move) -> Move:
        if move.name == "TokenWithin" or (move.name == "AssistantMessageWithText" and not self.state.streamed):
            return Move(move.name, text=(self.random.choice(TEXTS),))
        return move

    def _event(self, kind: str, given: Mapping[str, Any]) -> Event:
        self._now += timedelta(microseconds=self.random.randrange(-1000, 10**6))  # ts need not follow seq
        ts = self._now.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
        event = {"kind": kind, "ts": ts, "run-id": self.run_id, "seq": self._seq, **payload(self.random, kind, given)}
        self._seq += 1
        return event

    def _facts(self, move: Move, before: State) -> tuple[str, dict[str, Any]]:
        """The kind of the record and what its payload has to say."""
        if move.name in CALL_ACTIONS:
            return _CALL_KINDS[move.name][0], {
                "id": f"call-{self._names}-{move.id}", "round": self._lagging_round(), **_CALL_KINDS[move.name][1]
            }  # fmt: skip
        if move.name in OP_ACTIONS:
            return self._op(move)
        return _FACTS[move.name](self, before)

    def _maybe(self, value: Any) -> Any:
        return value if self.random.random() < 0.5 else ABSENT

    def _this_round(self) -> Any:
        return self._maybe(self._round) if self._round else ABSENT

    def _lagging_round(self) -> Any:
        return self._maybe(self.random.randint(1, self._round)) if self._round else ABSENT

    # --- attempts and turns ---------------------------------------------------------------------------------

    def _log(self, before: State) -> tuple[str, dict[str, Any]]:
        if self._seq == 0 and self.random.random() < 0.9:
            return "run-started", {}
        kind = self.random.choice(_ANY_TIME if before.parked else _UNPARKED)
        # A delivery without an op-id, of a kind of which nothing waits, stands for nothing.
        return kind, {"round": self._this_round(), "op-id": ABSENT, "op-kind": "of-nothing"}

    def _round_started(self, before: State) -> tuple[str, dict[str, Any]]:
        return "round-started", {"round": self._next_round()}

    def _next_round(self) -> int:
        self._round += 1 if self.random.random() < 0.9 else 2
        return self._round

    def _attempt_of_next_round(self, before: State) -> tuple[str, dict[str, Any]]:
        return "attempt-started", {"round": self._next_round(), "attempt": 1}

    def _token(self, before: State) -> tuple[str, dict[str, Any]]:
        attempt = {"round": self._maybe(self._round), "attempt": self._maybe(self.state.attempt)}
        return "token", {"text": self.state.streamed[-1], **attempt}

    def _message(self, before: State) -> tuple[str, dict[str, Any]]:
        text = "".join(self.state.committed[-1])
        content: Any = text
        if self.random.random() < 0.3:
            parts = [
                {"type": "image", "url": "a.png"},
                *({"type": "text", "text": part} for part in (text[:2], text[2:])),
            ]
            content = parts
        return self._said({"content": content})

    def _textless(self, before: State) -> tuple[str, dict[str, Any]]:
        """A content without a text: of another form where tokens were streamed, for nothing is not what they say."""
        if any(before.streamed):
            return self._said({"content": self.random.choice(_TEXTLESS)})
        return self._said(self.random.choice(({}, {"content": None}, {"content": ""}, {"content": []})))

    def _said(self, content: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        return "assistant-message", {"message": {"role": "assistant", **content}, "round": self._maybe(self._round)}

    # --- background work ------------------------------------------------------------------------------------

    def _op_id(self, number: int) -> str:
        return f"op-{self._names}-{number}"

    def _op(self, move: Move) -> tuple[str, dict[str, Any]]:
        given = {"op-id": self._op_id(move.id), "round": self._lagging_round()}
        if move.name == "BackgroundOpStarted":
            self._op_kinds[move.id] = self.random.choice(("task", "shell"))
        given["op-kind"] = kind = self._op_kinds[move.id]
        if move.name == "BackgroundOpSettledOwed":
            self._waiting.append(move.id)
        if move.name == "BackgroundOpDelivered":
            longest = next(each for each in self._waiting if self._op_kinds[each] == kind)
            self._waiting.remove(move.id)
            if longest == move.id and self.random.random() < 0.2:
                given["op-id"] = ABSENT
        return _OP_KINDS[move.name][0], {**given, **_OP_KINDS[move.name][1]}

    def _parked(self, before: State) -> tuple[str, dict[str, Any]]:
        ids = [self._op_id(number) for number in before.started]
        ops: list[Any] = list(ids) if self.random.random() < 0.3 else [{"op-id": id} for id in ids]
        if self.random.random() < 0.2:  # what names no operation may stand anywhere
            ops.insert(self.random.randrange(len(ops) + 1), {"label": "a timer"})
        return "run-parked", {"outstanding": len(ops), "ops": ops, "round": self._this_round()}

    # --- children -------------------------------------------------------------------------------------------

    def _child_begins(self, number: int) -> Event:
        if number in self._children:
            agent = self._children[number].agent
        else:
            call_id = self._maybe(f"call-{self._names}-{number}")
            agent = Agent(f"agent-{self._names}-{number}", self.random.choice(("explore", "review")), call_id)
        writer = Writer(self.random, self.random.randrange(2, 14), self._depth + 1)
        self._children[number] = Child(agent, writer)
        return self._wrapped(Move("ChildBegins", number), writer.next(ends=False))

    def _child_goes_on(self, number: int, inner: Event) -> Event:
        return self._wrapped(Move("ChildEnds" if inner["kind"] in TERMINALS else "ChildGoesOn", number), inner)

    def _wrapped(self, move: Move, inner: Event) -> Event:
        after = take(self.state, move)
        assert after is not None, f"{move.label} has no place here"
        self.state = after
        agent = self._children[move.id].agent
        wrapper = {"agent-id": agent.id, "agent-type": agent.type, "call-id": agent.call_id, "inner": inner}
        return self._event("subagent", wrapper)


Facts = Callable[[Writer, State], tuple[str, dict[str, Any]]]


def _of_attempt(kind: str) -> Facts:
    return lambda writer, before: (kind, {"round": writer._round, "attempt": writer.state.attempt})


def _of_turn(kind: str, given: Mapping[str, Any]) -> Facts:
    return lambda writer, before: (kind, {**given, "round": writer._maybe(writer._round)})


def _of_run(kind: str) -> Facts:
    return lambda writer, before: (kind, {"round": writer._this_round()})


_FACTS: Mapping[str, Facts] = {
    "Log": Writer._log,
    "RoundStartedWithin": Writer._round_started,
    "AttemptStartedWithin": _of_attempt("attempt-started"),
    "AttemptOfNextRoundWithin": Writer._attempt_of_next_round,
    "TokenWithin": Writer._token,
    "AttemptFailed": _of_attempt("attempt-failed"),
    "AttemptSucceeded": _of_attempt("attempt-succeeded"),
    "AssistantMessageWithText": Writer._message,
    "AssistantMessageWithoutText": Writer._textless,
    "TurnCommitted": _of_turn("turn-committed", {}),
    "TurnDiscardedLimit": _of_turn("turn-discarded", {"reason": "limit"}),
    "TurnDiscardedFailed": _of_turn("turn-discarded", {"reason": "failed"}),
    "TurnDiscardedCancelled": _of_turn("turn-discarded", {"reason": "cancelled"}),
    "RunParked": Writer._parked,
    "RunResumed": _of_run("run-resumed"),
    "RunCompleted": _of_run("run-completed"),
    "RunFailed": _of_run("run-failed"),
    "RunCancelled": _of_run("run-cancelled"),
}
_CALL_KINDS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "ToolCall": ("tool-call", {}),
    "ToolStarted": ("tool-started", {}),
    "ToolProgress": ("tool-progress", {}),
    "ToolResultGood": ("tool-result", {"is-error": False}),
    "ToolResultError": ("tool-result", {"is-error": True}),
    "ToolAbandonedUndispatched": ("tool-abandoned", {"dispatched": False}),
    "ToolAbandonedDispatched": ("tool-abandoned", {"dispatched": True}),
}
_OP_KINDS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "BackgroundOpStarted": ("background-op-started", {}),
    "BackgroundOpSettledCollected": ("background-op-settled", {"collected": True}),
    "BackgroundOpSettledOwed": ("background-op-settled", {"collected": False}),
    "BackgroundOpDelivered": ("background-op-delivered", {}),
}
