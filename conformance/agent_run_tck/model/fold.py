"""The state graph folded to what one caller can do: operations made at resting states.

Between two operations the run does what it owes. What a callback does is decided when it is handed over: whether the
hook parks when the run is made, at which delivery a tap parks when it is tapped. So a transition is a resting state,
an operation with its arguments, and the reply. All of it is a pure function of the exported graph.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Literal, NamedTuple

from attrs import frozen

from agent_run_tck.model.contract import State, is_internal, is_owed
from agent_run_tck.model.graph import Graph, load

Reply = Literal[True, False, "refused", None]
Hook = Literal["unset", "returns", "parks"]
Parks = tuple[tuple[int, int], ...]

PARKED_TAP = "a tap while a callback is parked, which may block (decisions 5 and 20)"
PARKED_BACKLOG = "a tap whose callback parks on the backlog, which may block (decision 14)"
STRAY = "a stray work_done while the hook is out (decision 25)"


class Operation(NamedTuple):
    """A method of Program with its arguments."""

    name: str
    args: tuple[int | str | None, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(repr, self.args))})"


class Outcome(NamedTuple):
    """One way that an operation may turn out: the label of its step, and the number of the node after it."""

    label: str
    node: int


class Node(NamedTuple):
    """A resting state of the model, and what was decided for callbacks that are still to come.

    `parks` has the taps whose callback is going to park, and at which of its deliveries, from 0.
    """

    state: State
    hook: Hook | None = None
    parks: Parks = ()


@frozen(kw_only=True, eq=False)
class Fold:
    """Nodes by number. `outcomes` has what each operation may lead to; `left_out` what is not toured, by reason."""

    nodes: tuple[Node, ...]
    starts: Mapping[Hook, int]
    outcomes: tuple[Mapping[Operation, tuple[Outcome, ...]], ...]
    left_out: Mapping[str, int]

    def transitions(self) -> Iterator[tuple[int, Operation, str]]:
        """Each operation at each node, once for each reply that it may have."""
        for number, operations in enumerate(self.outcomes):
            for operation, outcomes in operations.items():
                for label in dict.fromkeys(outcome.label for outcome in outcomes):
                    yield number, operation, label


def reply_of(label: str) -> Reply:
    """What the operation replied, where it has a reply."""
    if label.endswith("Refused"):
        return "refused"
    return label.endswith("True") if re.match("Emit|Finish|WorkBegin", label) else None


def action_of(label: str) -> str:
    """The action of Run.tla that a label of the graph names: without arguments and reply."""
    bare = re.sub("(True|False|Refused|Paired|Stray|Accepted|Ignored|[0-9]+)$", "", label)
    return "Finish" if re.fullmatch("Finish(Completed|Failed|Cancelled)", bare) else bare


def _operations(label: str, graph: Graph, threads: bool) -> list[Operation]:
    """The operations that may take a step of the client; a tap also decides where its callback parks."""
    action = action_of(label)
    name = re.sub("(?<!^)(?=[A-Z])", "_", action).lower()
    number = int((re.search("[0-9]+$", label) or "0")[0])
    if action == "Tap":
        may_park = threads and number in graph.bounds.parking
        return [Operation(name, (at,)) for at in (None, *(range(graph.bounds.events + 1) if may_park else ()))]
    if action == "Finish":
        return [Operation(name, (re.sub("^Finish|True$|False$", "", label).lower(),))]
    return [Operation(name, (number,) if number else ())]


@cache
def load_folded(threads: bool, taps: int) -> Fold:
    """The folded graph that the kit ships; without `threads` no callback parks, and no run has more than `taps`.

    The first call takes up to a second; any thread may call it.
    """
    return _Folding(load(), threads, taps).fold()


class _Folding:
    """The work of folding: the raw graph by state, and the nodes found so far, each a state with its decisions."""

    def __init__(self, graph: Graph, threads: bool, taps: int) -> None:
        self._graph = graph
        self._threads = threads
        self._taps = taps
        self._own: list[list[tuple[str, int]]] = [[] for _ in graph.states]
        self._clients: list[list[tuple[str, int]]] = [[] for _ in graph.states]
        internal = {label: is_internal(label) for label in dict.fromkeys(label for _, label, _ in graph.edges)}
        for source, label, target in graph.edges:
            (self._own if internal[label] else self._clients)[source].append((label, target))
        self._operations = {label: _operations(label, graph, threads) for label in internal if not internal[label]}
        self._numbers: dict[tuple[int, Hook | None, Parks], int] = {}
        self._resting: dict[tuple[int, Parks], tuple[int, ...]] = {}
        self._left_out: Counter[str] = Counter()

    def fold(self) -> Fold:
        hooks: tuple[Hook, ...] = ("unset", "returns", "parks") if self._threads else ("unset", "returns")
        initial = {self._graph.states[place].hook: place for place in self._graph.initial}
        starts = {hook: self._number(initial["unset" if hook == "unset" else "idle"], hook, ()) for hook in hooks}
        outcomes: list[Mapping[Operation, tuple[Outcome, ...]]] = []
        found: list[tuple[int, Hook | None, Parks]] = []
        while len(outcomes) < len(self._numbers):
            found += list(self._numbers)[len(found) :]
            outcomes.append(self._outcomes(*found[len(outcomes)]))
        return Fold(
            nodes=tuple(Node(self._graph.states[place], hook, parks) for place, hook, parks in found),
            starts=starts,
            outcomes=tuple(outcomes),
            left_out=dict(self._left_out),
        )

    def _number(self, place: int, hook: Hook | None, parks: Parks) -> int:
        """The number of a node; decisions that can no longer matter are dropped, so that more nodes are the same."""
        state = self._graph.states[place]
        if state.closed or state.claimed:
            hook = None
        pending = tuple((tap, at) for tap, at in parks if self._is_pending(state, tap, at))
        return self._numbers.setdefault((place, hook, pending), len(self._numbers))

    def _is_pending(self, state: State, tap: int, at: int) -> bool:
        its = state.tap[tap - 1]
        return its.phase == "live" and not its.parked and len(its.seen) <= at

    def _outcomes(self, place: int, hook: Hook | None, parks: Parks) -> Mapping[Operation, tuple[Outcome, ...]]:
        found: dict[Operation, dict[Outcome, None]] = {}
        for label, target in self._clients[place]:
            for operation in self._operations[label]:
                if self._is_toured(self._graph.states[place], label, operation, target):
                    decided = self._decided(label, operation, parks)
                    for rested in self._after(label, target, hook, decided):
                        outcome = Outcome(label, self._number(rested, hook, decided))
                        found.setdefault(operation, {})[outcome] = None
        return {operation: tuple(outcomes) for operation, outcomes in found.items()}

    def _decided(self, label: str, operation: Operation, parks: Parks) -> Parks:
        if operation.name == "tap" and isinstance(at := operation.args[0], int):
            return (*parks, (int(label.removeprefix("Tap")), at))
        return parks

    def _is_toured(self, state: State, label: str, operation: Operation, target: int) -> bool:
        """What may block, and what nothing is promised about, is left out and counted."""
        if operation.name == "tap" and int(label.removeprefix("Tap")) > self._taps:
            return False
        reason = ""
        if operation.name == "tap" and state.any_parked:
            reason = PARKED_TAP
        elif operation.name == "tap" and self._parks_in_backlog(operation.args[0], target):
            reason = PARKED_BACKLOG
        elif label == "WorkDoneStray" and state.hook_is_out:
            reason = STRAY
        self._left_out.update([reason] if reason else [])
        return not reason

    def _parks_in_backlog(self, at: object, target: int) -> bool:
        state = self._graph.states[target]
        return isinstance(at, int) and state.tap[-1].at + at < len(state.log)

    def _after(self, label: str, target: int, hook: Hook | None, parks: Parks) -> list[int]:
        """Where the run may rest after the step. A hook that returns does so within the cancel that called it."""
        rested = self._rest(target, parks)
        if label != "CancelAccepted" or hook != "returns":
            return list(rested)
        returned = [place for each in rested for label, place in self._clients[each] if label == "HookReturn"]
        return [place for each in returned for place in self._rest(each, parks)]

    def _rest(self, place: int, parks: Parks) -> tuple[int, ...]:
        """Where nothing is owed any more, by all orders of the run's own steps."""
        if (place, parks) not in self._resting:
            found, todo = {place: None}, [place]
            while todo:
                for _, after in self._own_steps(todo.pop(), parks):
                    if after not in found:
                        found[after] = None
                        todo.append(after)
            self._resting[place, parks] = tuple(sorted(each for each in found if not self._owes(each, parks)))
        return self._resting[place, parks]

    def _owes(self, place: int, parks: Parks) -> bool:
        state = self._graph.states[place]
        return any(is_owed(state, label) for label, _ in self._own_steps(place, parks))

    def _own_steps(self, place: int, parks: Parks) -> Iterator[tuple[str, int]]:
        """The steps that the run takes on its own; whether a delivery parks was decided by its tap."""
        state = self._graph.states[place]
        for label, after in self._own[place]:
            if label.startswith("Deliver"):
                tap = int(re.sub("[A-Za-z]+", "", label))
                if ((tap, len(state.tap[tap - 1].seen)) in parks) is not label.startswith("DeliverAndPark"):
                    continue
            yield label, after
