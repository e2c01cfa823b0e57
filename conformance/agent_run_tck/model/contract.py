"""The contract as a state machine: a transcription of tla/Run.tla, action by action.

States, variables and actions bear the names of the model, and a step bears the label of the edge in the
exported graph.  Everything here is a pure function of immutable values: nothing blocks, any thread may call
anything, and time plays no part.

An implementation is at each moment in one of a set of states, because what a run does on its own cannot be
seen.  `apply` takes the set through an operation, `resting` lets the run do what it owes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal

from attrs import evolve, field, frozen

Outcome = Literal["completed", "failed", "cancelled"]
Hook = Literal["unset", "idle", "due", "running", "returned"]
Phase = Literal["live", "over", "closed"]

OUTCOMES: tuple[Outcome, ...] = ("completed", "failed", "cancelled")


@frozen(kw_only=True, cache_hash=True)
class TapState:
    """One tap: `at` is the next seq to hand over, `seen` the seqs that were handed over."""

    phase: Phase
    at: int
    seen: tuple[int, ...] = ()
    parked: bool = False
    done: bool = False


@frozen(kw_only=True, cache_hash=True)
class State:
    """The variables of the model; seq is the index into `log`, tap 1 is `tap[0]`."""

    closed: bool = False
    result: str = "planned"
    log: tuple[str, ...] = ()
    sections: int = 0
    drained: bool = False
    claimed: bool = False
    cancelled: bool = False
    hook: Hook = "idle"
    tap: tuple[TapState, ...] = ()

    @property
    def published(self) -> int:
        """How far any tap ever got: the first seq that nobody was handed."""
        return max((tap.at for tap in self.tap), default=0)

    @property
    def any_parked(self) -> bool:
        """Some callback is parked, and may hold up the other taps (decision 5)."""
        return any(tap.parked for tap in self.tap)

    @property
    def hook_is_out(self) -> bool:
        """The hook is owed or under way, and may hold up drained (decision 27)."""
        return self.hook in ("due", "running")


@frozen(kw_only=True)
class Bounds:
    """The constants of MCRun: how far `steps` goes.  A run with two taps ends only as `two_tap_ends` says."""

    taps: int
    events: int
    sections: int
    parking: frozenset[int] = field(converter=frozenset)
    two_tap_ends: frozenset[str] = field(default=OUTCOMES, converter=frozenset)


Step = tuple[str, State]
Action = Callable[[State], Iterable[State]]
TapAction = Callable[[State, int], Iterable[State]]
Parks = Mapping[int, int]
NOBODY_PARKS: Parks = {}


def _emit(reply: bool) -> Action:
    def action(state: State) -> Iterator[State]:
        if reply is not state.closed:
            yield evolve(state, log=(*state.log, "event")) if reply else state

    return action


def _wrong_event(reply: str) -> Action:
    """A terminal given to emit, or another event given to finish: refused, or false on a closed run."""

    def action(state: State) -> Iterator[State]:
        if reply == "refused" or state.closed:
            yield state

    return action


def _finish(outcome: Outcome, reply: bool) -> Action:
    def action(state: State) -> Iterator[State]:
        if reply is state.closed:
            return
        yield evolve(state, closed=True, result=outcome, log=(*state.log, outcome)) if reply else state

    return action


def _cancel(accepted: bool) -> Action:
    def action(state: State) -> Iterator[State]:
        if accepted is (state.closed or state.claimed):
            return
        hook: Hook = "due" if accepted and state.hook == "idle" else state.hook
        yield evolve(state, claimed=state.claimed or accepted, hook=hook)

    return action


def _work_begin(reply: bool) -> Action:
    def action(state: State) -> Iterator[State]:
        if reply is not state.closed:
            yield evolve(state, sections=state.sections + reply)

    return action


def _work_done(stray: bool) -> Action:
    def action(state: State) -> Iterator[State]:
        if stray is (state.sections == 0):
            yield evolve(state, sections=0 if stray else state.sections - 1)

    return action


def _starts(state: State) -> range:
    """The seqs at which a new tap may start: the first one at the beginning, a later one past what was
    published, but while a tap has the terminal and waits for its done, the new one may get it too."""
    if not state.tap:
        return range(1)
    end = len(state.log)
    ending = state.closed and any(tap.phase == "live" and tap.at == end for tap in state.tap)
    return range(end - 1 if ending else state.published, end + 1)


def _tap(state: State, number: int) -> Iterator[State]:
    if number != len(state.tap) + 1:
        return
    for at in _starts(state):
        phase: Phase = "over" if state.closed and at == len(state.log) else "live"
        yield evolve(state, tap=(*state.tap, TapState(phase=phase, at=at)))


def _hook_return(state: State) -> Iterator[State]:
    if state.hook == "running":
        yield evolve(state, hook="returned")


def _keep_cancellation(state: State) -> Iterator[State]:
    if state.claimed and not state.cancelled:
        yield evolve(state, cancelled=True)


def _hook_start(state: State) -> Iterator[State]:
    if state.hook == "due" and state.cancelled:
        yield evolve(state, hook="running")


def _keep_drained(state: State) -> Iterator[State]:
    if state.closed and state.sections == 0 and not state.drained:
        yield evolve(state, drained=True)


def _with_tap(state: State, number: int, new: TapState) -> State:
    return evolve(state, tap=(*state.tap[: number - 1], new, *state.tap[number:]))


def _close_tap(state: State, number: int) -> Iterator[State]:
    old = state.tap[number - 1]
    yield _with_tap(state, number, evolve(old, phase="closed")) if old.phase == "live" else state


def _unpark(state: State, number: int) -> Iterator[State]:
    old = state.tap[number - 1]
    if old.parked:
        yield _with_tap(state, number, evolve(old, parked=False))


def _hand(parks: bool) -> TapAction:
    def action(state: State, number: int) -> Iterator[State]:
        old = state.tap[number - 1]
        if old.phase == "live" and not old.parked and old.at < len(state.log):
            new = evolve(old, seen=(*old.seen, old.at), at=old.at + 1, parked=parks)
            yield _with_tap(state, number, new)

    return action


def _done(state: State, number: int) -> Iterator[State]:
    old = state.tap[number - 1]
    if old.phase == "live" and not old.parked and state.closed and old.at == len(state.log):
        yield _with_tap(state, number, evolve(old, phase="over", done=True))


_RUN_ACTIONS: Mapping[str, Action] = {
    "EmitTrue": _emit(True),
    "EmitFalse": _emit(False),
    "EmitTerminalRefused": _wrong_event("refused"),
    "EmitTerminalFalse": _wrong_event("false"),
    **{f"Finish{outcome.title()}True": _finish(outcome, True) for outcome in OUTCOMES},
    **{f"Finish{outcome.title()}False": _finish(outcome, False) for outcome in OUTCOMES},
    "FinishNonTerminalRefused": _wrong_event("refused"),
    "FinishNonTerminalFalse": _wrong_event("false"),
    "CancelAccepted": _cancel(True),
    "CancelIgnored": _cancel(False),
    "HookReturn": _hook_return,
    "WorkBeginTrue": _work_begin(True),
    "WorkBeginFalse": _work_begin(False),
    "WorkDonePaired": _work_done(False),
    "WorkDoneStray": _work_done(True),
    "KeepCancellation": _keep_cancellation,
    "HookStart": _hook_start,
    "KeepDrained": _keep_drained,
}
_TAP_ACTIONS: Mapping[str, TapAction] = {
    "Tap": _tap,
    "CloseTap": _close_tap,
    "Unpark": _unpark,
    "Deliver": _hand(False),
    "DeliverAndPark": _hand(True),
    "Done": _done,
}
_INTERNAL = frozenset({"KeepCancellation", "HookStart", "KeepDrained", "Deliver", "DeliverAndPark", "Done"})
_LABEL = re.compile(r"([A-Za-z]+)([1-9][0-9]*)?")


def _split(label: str) -> tuple[str, int | None]:
    """The action's name and, for an action of one tap, the tap's number."""
    match = _LABEL.fullmatch(label)
    name, number = match.groups() if match else (label, None)
    if name not in (_TAP_ACTIONS if number else _RUN_ACTIONS):
        raise ValueError(f"{label!r} is no label of the model: use one that steps() yields")
    return name, int(number) if number else None


def is_internal(label: str) -> bool:
    """Whether the run takes this step on its own; ValueError when there is no such label."""
    return _split(label)[0] in _INTERNAL


def initial_states() -> frozenset[State]:
    """The states a run starts in: without a hook and with one."""
    return frozenset({State(hook="unset"), State(hook="idle")})


def successors(state: State, label: str) -> Iterator[State]:
    """The states that the step leads to, none when it cannot be taken; ValueError for an unknown label."""
    name, number = _split(label)
    if number is None:
        yield from _RUN_ACTIONS[name](state)
    elif name == "Tap" or number <= len(state.tap):
        yield from _TAP_ACTIONS[name](state, number)


def labels(state: State) -> Iterator[str]:
    """Every label that has a meaning in the state, in a fixed order; not all of them can be taken."""
    yield from _RUN_ACTIONS
    yield f"Tap{len(state.tap) + 1}"
    for number in range(1, len(state.tap) + 1):
        yield from (f"{name}{number}" for name in _TAP_ACTIONS if name != "Tap")


def _may_tap(state: State, bounds: Bounds) -> bool:
    if len(state.tap) >= bounds.taps:
        return False
    return not state.tap or not state.closed or state.result in bounds.two_tap_ends


def _within(state: State, label: str, bounds: Bounds) -> bool:
    name, number = _split(label)
    if name == "EmitTrue":
        return len(state.log) < bounds.events
    if name == "WorkBeginTrue":
        return state.sections < bounds.sections
    if name == "Tap":
        return _may_tap(state, bounds)
    if name == "DeliverAndPark":
        return number in bounds.parking
    ending = re.fullmatch(r"Finish(Completed|Failed|Cancelled)True", name)
    return not ending or len(state.tap) < 2 or ending[1].lower() in bounds.two_tap_ends


def steps(state: State, bounds: Bounds | None = None) -> Iterator[Step]:
    """Every step from the state as (label, next state), in a fixed order; without bounds the taps, events and
    sections never run out."""
    for label in labels(state):
        if bounds is None or _within(state, label, bounds):
            for after in successors(state, label):
                yield label, after


def _own_steps(state: State, parks: Parks) -> Iterator[Step]:
    """The steps that the run takes without being asked; whether a delivery parks is the callback's decision."""
    for label in labels(state):
        if is_internal(label) and not _is_decided_otherwise(state, label, parks):
            for after in successors(state, label):
                yield label, after


def _is_decided_otherwise(state: State, label: str, parks: Parks) -> bool:
    name, number = _split(label)
    if number is None or not name.startswith("Deliver"):
        return False
    would_park = parks.get(number) == len(state.tap[number - 1].seen)
    return would_park is not (name == "DeliverAndPark")


def is_owed(state: State, label: str) -> bool:
    """Whether an enabled step of the run's own has to come, whatever a client does."""
    if label == "KeepDrained":
        return not state.hook_is_out
    return _split(label)[0] not in _TAP_ACTIONS or not state.any_parked


def owed(state: State, parks: Parks = NOBODY_PARKS) -> Iterator[Step]:
    """The steps that the run has to take without any further call; the model states them as fairness."""
    return ((label, after) for label, after in _own_steps(state, parks) if is_owed(state, label))


def _settled(state: State) -> State:
    """The state after every owed step.  While nobody parks they commute and none disables another."""
    while (step := next(owed(state), None)) is not None:
        state = step[1]
    return state


def resting(states: Iterable[State], parks: Parks = NOBODY_PARKS) -> frozenset[State]:
    """Where the run may be once it has done what it owes; `parks` has the taps whose callback parks, and at which
    of its deliveries, from 0.

    While a callback is parked the other taps may have got anything up to all of it (decision 5), and while
    the hook is out drained may or may not be kept (decision 27).  An optional step disables no other, so the
    optional ones are tried only after the owed ones.
    """
    if parks:
        return frozenset(state for state in reachable(states, parks) if not any(owed(state, parks)))
    return _reachable(states, parks, _settled)


def reachable(states: Iterable[State], parks: Parks = NOBODY_PARKS) -> frozenset[State]:
    """Where the run may be before, while and after it does what it owes."""
    return _reachable(states, parks, lambda state: state)


def _reachable(states: Iterable[State], parks: Parks, shortcut: Callable[[State], State]) -> frozenset[State]:
    found: set[State] = set()
    todo = [shortcut(state) for state in states]
    while todo:
        state = todo.pop()
        if state not in found:
            found.add(state)
            todo.extend(shortcut(after) for _, after in _own_steps(state, parks))
    return frozenset(found)


def apply(states: Iterable[State], label: str) -> frozenset[State]:
    """Where the run may be right after the step alone; empty: the contract forbids it."""
    return frozenset(after for state in states for after in successors(state, label))
