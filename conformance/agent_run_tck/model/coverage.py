"""What a tour has covered: transitions by action and by requirement, and what stands apart and why."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import frozen

from agent_run_tck.index import requirements
from agent_run_tck.model.contract import State, TapState
from agent_run_tck.model.fold import Fold, Operation, action_of, load_folded
from agent_run_tck.model.graph import load
from agent_run_tck.model.tour import Tour

Transition = tuple[int, Operation, str]

OTHER_ANSWER = "the other answer to the wrong event on a closed run (decision 13)"
DRAINED_EARLY = "drained that does not wait for the hook (decision 27)"
DRAINED_LATE = "drained that waits for the hook (decision 27)"
SERVED = "a tap that is served while another is parked (decision 5)"
HELD_UP = "a tap that waits while another is parked (decision 5)"
BUFFERED = "what was accepted between two taps is kept for the second (decision 8)"
DROPPED = "what was accepted between two taps is dropped (decision 8)"
UNSTEADY = "what the implementation did once and then no more"
NO_THREADS = "where a callback blocks, which needs threads"
MORE_TAPS = "with a second tap, which --budget=standard tours too"


@frozen(kw_only=True)
class Coverage:
    """Numbers of transitions. `by_action` and `by_requirement` have what was taken, and what can be come to.

    `freedoms` has those that lie behind what the contract allows and the implementation does not do, by freedom,
    `left_out` the operations that are not toured, by reason.
    """

    taken: int
    missing: int
    runs: int
    steps: int
    freedoms: Mapping[str, int]
    left_out: Mapping[str, int]
    by_action: Mapping[str, tuple[int, int]]
    by_requirement: Mapping[str, tuple[int, int]]

    def as_data(self) -> dict[str, Any]:
        """Plain data, for a report."""
        pairs = {
            name: {key: list(pair) for key, pair in getattr(self, name).items()}
            for name in ("by_action", "by_requirement")
        }
        numbers = {name: getattr(self, name) for name in ("taken", "missing", "runs", "steps")}
        return {**numbers, "freedoms": dict(self.freedoms), "left_out": dict(self.left_out), **pairs}


def coverage(tour: Tour) -> Coverage:
    """The coverage of a tour, also of one that a fault has ended. Pure."""
    behind = dict(_behind_freedoms(tour)) if not tour.missing() else {}
    missing = [each for each in tour.fold.transitions() if each not in tour.taken and each not in behind]
    taken = Counter(action for each in tour.taken for action in _actions(tour, each))
    owed = taken + Counter(action for each in missing for action in _actions(tour, each))
    return Coverage(
        taken=len(tour.taken),
        missing=len(missing),
        runs=tour.runs,
        steps=tour.steps,
        freedoms=dict(Counter(behind.values()).most_common()),
        left_out=tour.fold.left_out,
        by_action={action: (taken[action], owed[action]) for action in sorted(owed)},
        by_requirement=_by_requirement(tour, missing),
    )


def out_of_reach(threads: bool, taps: int) -> dict[str, int]:
    """How many transitions of the whole graph a tour leaves out that has no threads, or so few taps; by reason."""

    def size(threads: bool, taps: int) -> int:
        return sum(1 for _ in load_folded(threads, taps).transitions())

    here, with_threads, all_of_them = size(threads, taps), size(True, taps), size(True, load().bounds.taps)
    found = {NO_THREADS: with_threads - here, MORE_TAPS: all_of_them - with_threads}
    return {reason: number for reason, number in found.items() if number}


def _by_requirement(tour: Tour, missing: Iterable[Transition]) -> dict[str, tuple[int, int]]:
    taken: Counter[str] = Counter(id for each in tour.taken for id in _ids(_actions(tour, each)))
    owed = taken + Counter(id for each in missing for id in _ids(_actions(tour, each)))
    return {id: (taken[id], owed[id]) for id in requirements() if id in owed}


def ids_of(action: str) -> list[str]:
    """The requirements that an action of the model formalises, in the order of the spec."""
    return [each.id for each in requirements().values() if action in each.model]


def _ids(actions: Iterable[str]) -> set[str]:
    return {id for action in actions for id in ids_of(action)}


def _actions(tour: Tour, transition: Transition) -> set[str]:
    """The actions of a transition: that of the caller, and those that the run took on its own."""
    number, operation, label = transition
    outcomes = tour.fold.outcomes[number][operation]
    targets = tour.taken.get(transition) or [each.node for each in outcomes if each.label == label]
    before = tour.fold.nodes[number].state
    own = (action for target in targets for action in _own_actions(before, tour.fold.nodes[target].state))
    return {action_of(label), *own}


def _own_actions(before: State, after: State) -> Iterator[str]:
    if after.drained and not before.drained:
        yield "KeepDrained"
    if after.cancelled and not before.cancelled:
        yield "KeepCancellation"
    if after.hook in ("running", "returned") and before.hook == "idle":
        yield "HookStart"
    if after.hook == "returned" and before.hook == "idle":
        yield "HookReturn"
    for number, now in enumerate(after.tap):
        yield from _handed(before.tap[number] if number < len(before.tap) else None, now)


def _handed(before: TapState | None, now: TapState) -> Iterator[str]:
    parks = now.parked and not (before and before.parked)
    if parks:
        yield "DeliverAndPark"
    if len(now.seen) - parks > (len(before.seen) if before else 0):
        yield "Deliver"
    if now.done and not (before and before.done):
        yield "Done"


def _behind_freedoms(tour: Tour) -> Iterator[tuple[Transition, str]]:
    """What was not taken though the tour came to its end, with the freedom that it lies behind."""
    behind = _nodes_behind(tour)
    tried = {(number, operation) for number, operation, _ in tour.taken}
    for transition in tour.fold.transitions():
        number, operation, _ = transition
        if transition not in tour.taken:
            yield transition, OTHER_ANSWER if (number, operation) in tried else behind.get(number, UNSTEADY)


def _nodes_behind(tour: Tour) -> dict[int, str]:
    """The nodes that were never come to, each with the first freedom on the way to it."""
    reached = {target for targets in tour.taken.values() for target in targets} | set(tour.fold.starts.values())
    behind: dict[int, str] = {}
    for (number, operation, label), targets in tour.taken.items():
        for outcome in tour.fold.outcomes[number][operation]:
            if outcome.label == label and outcome.node not in reached:
                behind.setdefault(outcome.node, _freedom(tour.fold, outcome.node, min(targets)))
    todo = list(behind)
    for number in todo:
        after = {each.node for outcomes in tour.fold.outcomes[number].values() for each in outcomes}
        new = sorted(after - reached - behind.keys())
        behind.update(dict.fromkeys(new, behind[number]))
        todo += new
    return behind


def _freedom(fold: Fold, other: int, taken: int) -> str:
    """What an implementation would have to do to come to the other node, from where it came to the one it took."""
    would, does = fold.nodes[other].state, fold.nodes[taken].state
    handed_more = sum(len(tap.seen) + tap.done for tap in would.tap) > sum(len(tap.seen) + tap.done for tap in does.tap)
    if would.drained != does.drained:
        return DRAINED_EARLY if would.drained else DRAINED_LATE
    if would.any_parked:
        return SERVED if handed_more else HELD_UP
    return BUFFERED if handed_more else DROPPED
