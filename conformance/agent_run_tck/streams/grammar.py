"""The grammar of a stream and its consumer as a state machine: a transcription of tla/EventStream.tla.

States, variables and actions bear the names of the model; a move is called by the label of its edge in the exported
graphs.  Each move leads to one state or to none.  Everything here is a pure function of immutable values: nothing
blocks, any thread may call anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import evolve, frozen

from agent_run_tck.streams.consumer import NOTHING, Pairs, Record, Text, View, put, show

ENDS = frozenset({"result", "error", "undispatched", "dispatched"})
UNSTREAMED: Text = (0,)
"""The text of a message of which nothing was streamed."""


@frozen(cache_hash=True)
class ChildState:
    """Where the stream of a child is: which of its runs, the seq of its next record, whether it has ended."""

    run: int = 0
    seq: int = 0
    over: bool = False


@frozen(cache_hash=True)
class State:
    """The variables of the model."""

    round: int = 0
    attempt: int = 0
    turn: str = "none"
    streamed: Text = ()
    committed: tuple[Text, ...] = ()
    call: Pairs = ()
    spent: frozenset[Any] = frozenset()
    started: tuple[Any, ...] = ()
    waiting: frozenset[Any] = frozenset()
    parked: bool = False
    inventory: tuple[Any, ...] = ()
    child: Pairs = ()
    ended: str = "no"
    view: View = NOTHING
    quiet: View = NOTHING

    def is_open(self, call: Any) -> bool:
        """Whether the call is proposed and has not ended."""
        return dict(self.call).get(call) in ("proposed", "started")

    @property
    def any_open(self) -> bool:
        """Whether any call is open."""
        return any(state in ("proposed", "started") for _, state in self.call)


@frozen
class Move:
    """A record by the name of its action; `text` where a stream has its own, else the model's."""

    name: str
    id: Any = None
    text: Text | None = None

    @property
    def label(self) -> str:
        """The label of the edge, where the id is a number."""
        return f"{self.name}{'' if self.id is None else self.id}"


@frozen
class Bounds:
    """The constants of MCEventStream: how far `moves` goes."""

    calls: int
    ops: int
    agents: int
    rounds: int
    attempts: int
    tokens: int
    runs: int
    records: int


def _publish(state: State, record: Record, **changes: Any) -> State | None:
    if state.ended != "no":
        return None
    quiet = state.quiet if record.kind == "token" else show(state.quiet, record)
    return evolve(state, view=show(state.view, record), quiet=quiet, **changes)


def _act(state: State, record: Record, **changes: Any) -> State | None:
    """Publish what may not come while the run is parked."""
    return None if state.parked else _publish(state, record, **changes)


# --- the driver -------------------------------------------------------------------------------------------


def _round_started(state: State, move: Move) -> State | None:
    if state.turn != "none":
        return None
    return _act(state, Record("round-started"), round=state.round + 1, attempt=0, spent=frozenset())


def _attempt_started(state: State, move: Move) -> State | None:
    if state.round == 0 or state.turn not in ("none", "between"):
        return None
    return _act(state, Record("attempt-started"), attempt=state.attempt + 1, turn="attempt", streamed=())


def _attempt_of_next_round(state: State, move: Move) -> State | None:
    if state.turn != "none":
        return None
    fresh = {"round": state.round + 1, "attempt": 1, "spent": frozenset()}
    return _act(state, Record("attempt-started"), turn="attempt", streamed=(), **fresh)


def _token(state: State, move: Move) -> State | None:
    if state.turn != "attempt":
        return None
    text = (10 * state.attempt + len(state.streamed) + 1,) if move.text is None else move.text
    return _act(state, Record("token", text), streamed=state.streamed + text)


def _attempt_failed(state: State, move: Move) -> State | None:
    if state.turn != "attempt":
        return None
    return _act(state, Record("attempt-failed"), turn="between", streamed=())


def _attempt_succeeded(state: State, move: Move) -> State | None:
    return _act(state, Record("attempt-succeeded"), turn="answered") if state.turn == "attempt" else None


def _message(state: State, text: Text) -> State | None:
    if state.turn not in ("answered", "marked"):
        return None
    turn = "none" if state.turn == "marked" else "messaged"
    return _act(state, Record("assistant-message", text), turn=turn, committed=(*state.committed, text), streamed=())


def _message_with_text(state: State, move: Move) -> State | None:
    unstreamed = UNSTREAMED if move.text is None else move.text
    return _message(state, state.streamed or unstreamed)


def _message_without_text(state: State, move: Move) -> State | None:
    return _message(state, ())


def _turn_committed(state: State, move: Move) -> State | None:
    if state.turn not in ("answered", "messaged"):
        return None
    return _act(state, Record("turn-committed"), turn="none" if state.turn == "messaged" else "marked")


def _turn_discarded(reason: str) -> Action:
    from_turns = ("between", "answered", "attempt") if reason == "cancelled" else ("between", "answered")

    def action(state: State, move: Move) -> State | None:
        return _act(state, Record("turn-discarded"), turn="none", streamed=()) if state.turn in from_turns else None

    return action


def _call(to: str, kind: str, *, come_from: tuple[str, ...], flag: bool = False) -> Action:
    def action(state: State, move: Move) -> State | None:
        if dict(state.call).get(move.id) not in come_from:
            return None
        spent = state.spent | {move.id} if to in ENDS else state.spent
        return _act(state, Record(kind, id=move.id, flag=flag), call=put(state.call, move.id, to), spent=spent)

    return action


def _tool_call(state: State, move: Move) -> State | None:
    if state.is_open(move.id) or move.id in state.spent:
        return None
    return _act(state, Record("tool-call", id=move.id), call=put(state.call, move.id, "proposed"))


def _op_started(state: State, move: Move) -> State | None:
    if move.id in state.started or move.id in state.waiting:
        return None
    return _act(state, Record("background-op-started"), started=(*state.started, move.id))


def _op_settled(collected: bool) -> Action:
    def action(state: State, move: Move) -> State | None:
        if move.id not in state.started:
            return None
        started = tuple(each for each in state.started if each != move.id)
        waiting = state.waiting if collected else state.waiting | {move.id}
        return _publish(state, Record("background-op-settled"), started=started, waiting=waiting)

    return action


def _op_delivered(state: State, move: Move) -> State | None:
    if move.id not in state.waiting:
        return None
    return _act(state, Record("background-op-delivered"), waiting=state.waiting - {move.id})


def _run_parked(state: State, move: Move) -> State | None:
    if state.turn != "none" or state.any_open:
        return None
    return _act(state, Record("run-parked"), parked=True, inventory=state.started)


def _run_resumed(state: State, move: Move) -> State | None:
    return _publish(state, Record("run-resumed"), parked=False, inventory=()) if state.parked else None


def _child_begins(state: State, move: Move) -> State | None:
    child = dict(state.child).get(move.id, ChildState())
    return _publish(state, Record("subagent"), child=put(state.child, move.id, ChildState(child.run + 1, 1)))


def _child_goes_on(over: bool) -> Action:
    def action(state: State, move: Move) -> State | None:
        child = dict(state.child).get(move.id, ChildState())
        if child.run == 0 or child.over:
            return None
        after = ChildState(child.run, child.seq + 1, over)
        return _publish(state, Record("subagent"), child=put(state.child, move.id, after))

    return action


def _terminal(kind: str) -> Action:
    def action(state: State, move: Move) -> State | None:
        if state.turn != "none" or state.any_open:
            return None
        return _act(state, Record(kind), ended=kind)

    return action


def _log(state: State, move: Move) -> State | None:
    return _publish(state, Record("log"))


def _over(state: State, move: Move) -> State | None:
    return state if state.ended != "no" else None


Action = Callable[[State, Move], State | None]

OPEN = ("proposed", "started")
PLAIN_ACTIONS: Mapping[str, Action] = {
    "RoundStartedWithin": _round_started,
    "AttemptStartedWithin": _attempt_started,
    "AttemptOfNextRoundWithin": _attempt_of_next_round,
    "TokenWithin": _token,
    "AttemptFailed": _attempt_failed,
    "AttemptSucceeded": _attempt_succeeded,
    "AssistantMessageWithText": _message_with_text,
    "AssistantMessageWithoutText": _message_without_text,
    "TurnCommitted": _turn_committed,
    "TurnDiscardedLimit": _turn_discarded("limit"),
    "TurnDiscardedFailed": _turn_discarded("failed"),
    "TurnDiscardedCancelled": _turn_discarded("cancelled"),
    "RunParked": _run_parked,
    "RunResumed": _run_resumed,
    "Log": _log,
    "RunCompleted": _terminal("run-completed"),
    "RunFailed": _terminal("run-failed"),
    "RunCancelled": _terminal("run-cancelled"),
    "Over": _over,
}
CALL_ACTIONS: Mapping[str, Action] = {
    "ToolCall": _tool_call,
    "ToolStarted": _call("started", "tool-started", come_from=("proposed",)),
    "ToolProgress": _call("started", "tool-progress", come_from=("started",)),
    "ToolResultGood": _call("result", "tool-result", come_from=OPEN),
    "ToolResultError": _call("error", "tool-result", come_from=OPEN, flag=True),
    "ToolAbandonedUndispatched": _call("undispatched", "tool-abandoned", come_from=("proposed",)),
    "ToolAbandonedDispatched": _call("dispatched", "tool-abandoned", come_from=("started",), flag=True),
}
OP_ACTIONS: Mapping[str, Action] = {
    "BackgroundOpStarted": _op_started,
    "BackgroundOpSettledCollected": _op_settled(True),
    "BackgroundOpSettledOwed": _op_settled(False),
    "BackgroundOpDelivered": _op_delivered,
}
CHILD_ACTIONS: Mapping[str, Action] = {
    "ChildBegins": _child_begins,
    "ChildGoesOn": _child_goes_on(False),
    "ChildEnds": _child_goes_on(True),
}
ACTIONS: Mapping[str, Action] = {**PLAIN_ACTIONS, **CALL_ACTIONS, **OP_ACTIONS, **CHILD_ACTIONS}
_LABEL = re.compile(r"([A-Za-z]+)([1-9][0-9]*)?")


def move_of(label: str) -> Move:
    """The move of a label; ValueError when there is no such label."""
    match = _LABEL.fullmatch(label)
    name, number = match.groups() if match else (label, None)
    if name not in ACTIONS or (name in PLAIN_ACTIONS) is not (number is None):
        raise ValueError(f"{label!r} is no label of the model: use one that moves() yields")
    return Move(name, int(number) if number else None)


def take(state: State, move: Move) -> State | None:
    """The state after the move, or None where the grammar has no place for it."""
    return ACTIONS[move.name](state, move)


def _ids(known: int, bound: int | None) -> range:
    """Numbers from 1: within the bound, or all that are known and a fresh one."""
    return range(1, (known + 1 if bound is None else bound) + 1)


def _candidates(state: State, bounds: Bounds | None) -> Iterator[Move]:
    yield from (Move(name) for name in PLAIN_ACTIONS)
    ops = {*state.started, *state.waiting}
    for actions, ids in (
        (CALL_ACTIONS, _ids(len(state.call), bounds.calls if bounds else None)),
        (OP_ACTIONS, _ids(max(ops, default=0), bounds.ops if bounds else None)),
        (CHILD_ACTIONS, _ids(len(state.child), bounds.agents if bounds else None)),
    ):
        yield from (Move(name, id) for name in actions for id in ids)


def _within(state: State, move: Move, bounds: Bounds) -> bool:
    child: ChildState = dict(state.child).get(move.id, ChildState())
    limits = {
        "RoundStartedWithin": state.round < bounds.rounds,
        "AttemptStartedWithin": state.attempt < bounds.attempts,
        "AttemptOfNextRoundWithin": state.round < bounds.rounds and bounds.attempts > 0,
        "TokenWithin": len(state.streamed) < bounds.tokens,
        "ChildBegins": child.run < bounds.runs,
        "ChildGoesOn": child.seq < bounds.records,
    }
    return limits.get(move.name, True)


def moves(state: State, bounds: Bounds | None = None) -> Iterator[tuple[Move, State]]:
    """Every move from the state and where it leads, in a fixed order; without bounds nothing runs out."""
    for move in _candidates(state, bounds):
        after = take(state, move) if bounds is None or _within(state, move, bounds) else None
        if after is not None:
            yield move, after
