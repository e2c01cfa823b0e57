"""A tour: few runs that take every transition of the folded graph, whatever freedoms an implementation uses.

It goes to the nearest operation that has not been tried and plans anew wherever a run turns out otherwise than hoped.
The same behaviour gives the same tour. It judges nothing: whoever drives the run does, and raises AssertionError.
"""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Protocol

from agent_run_tck.model.fold import Fold, Hook, Operation, Outcome, Reply, reply_of
from agent_run_tck.model.view import View, differing, view_of_state

UNRELIABLE = 3
Path = list[tuple[Operation, int | None]]


class Drive(Protocol):
    """One run under way. `do` returns once the run is in a state that the contract allows it to rest in.

    `view` is how it looked at last; `moves_on` watches for a while whether that changes.
    """

    view: View

    def do(self, operation: Operation) -> Reply: ...
    def moves_on(self) -> bool: ...
    def end(self) -> None: ...


class Tour:
    """One tour of one implementation. `taken` has the transitions, each with the nodes that it has led to."""

    def __init__(self, fold: Fold, start: Callable[[Hook], Drive]) -> None:
        self.fold = fold
        self.taken: dict[tuple[int, Operation, str], set[int]] = {}
        self.steps = self.runs = 0
        self._start = start
        self._views = [view_of_state(node.state) for node in fold.nodes]
        self._untried = [dict.fromkeys(_loops_first(number, outcomes)) for number, outcomes in enumerate(fold.outcomes)]
        self._ways: list[dict[int, Operation]] = [{} for _ in fold.nodes]
        self._misses: dict[tuple[int, int], int] = {}
        self._moves_on: dict[tuple[str, frozenset[str]], bool] = {}

    def drive(self) -> None:
        """Take every transition that can be come to. Blocks as long as the drives do; AssertionError comes through."""
        for hook, start in self.fold.starts.items():
            while self._path(start) is not None:
                self._run(hook, start)

    def missing(self) -> list[tuple[int, Operation]]:
        """What was come to and not tried; nothing is, after `drive`."""
        reached = set(self.fold.starts.values())
        todo = list(reached)
        while todo:
            new = self._ways[todo.pop()].keys() - reached
            reached |= new
            todo += new
        return [(number, operation) for number in sorted(reached) for operation in self._untried[number]]

    # --- planning -----------------------------------------------------------------------------------------------

    def _path(self, here: int, goal: int | None = None) -> Path | None:
        """The shortest known way to `goal`, or to a node where something is untried, and that as the last step."""
        came: dict[int, tuple[int, Operation] | None] = {here: None}
        todo = deque([here])
        while todo:
            node = todo.popleft()
            if node == goal or (goal is None and self._untried[node]):
                last: Path = [] if goal is not None else [(next(iter(self._untried[node])), None)]
                return self._way(came, node) + last
            for after, operation in self._ways[node].items():
                if after not in came:
                    came[after] = (node, operation)
                    todo.append(after)
        return None

    def _way(self, came: dict[int, tuple[int, Operation] | None], node: int) -> Path:
        path: Path = []
        while (step := came[node]) is not None:
            path.insert(0, (step[1], node))
            node = step[0]
        return path

    def _learn(self, here: int, operation: Operation, hoped: int | None, there: int | None) -> None:
        """Remember what leads where; a way that is taken too seldom is none."""
        if hoped is not None and hoped != there:
            self._misses[here, hoped] = self._misses.get((here, hoped), 0) + 1
            if self._misses[here, hoped] == UNRELIABLE:
                del self._ways[here][hoped]
        if there is not None and there != here and self._misses.get((here, there), 0) < UNRELIABLE:
            self._ways[here].setdefault(there, operation)

    # --- driving ------------------------------------------------------------------------------------------------

    def _run(self, hook: Hook, start: int) -> None:
        """One run, for as long as anything new can be come to from where it is."""
        self.runs += 1
        drive = self._start(hook)
        try:
            place: _Place | None = _Place(start, {start})
            while place is not None and (path := self._path(place.here)) is not None:
                place = self._follow(hook, drive, place, path)
        finally:
            drive.end()

    def _follow(self, hook: Hook, drive: Drive, place: "_Place", path: Path) -> "_Place | None":
        """Along the path as long as the run takes the hoped turns; where it is then, None when that is unclear."""
        for operation, hoped in path:
            here = place.here
            try:
                after = self._step(drive, place, operation)
            except AssertionError:
                self._show_shorter(hook, here, operation)
                raise
            self._learn(here, operation, hoped, after.here if after else None)
            if after is None or after.here != hoped:
                return after
            place = after
        return place

    def _step(self, drive: Drive, place: "_Place", operation: Operation) -> "_Place | None":
        here = place.here
        self.steps += 1
        reply = drive.do(operation)
        self._untried[here].pop(operation, None)
        outcomes = self._replied(here, operation, reply)
        view = self._settled(drive, here, operation, outcomes)
        possible = {each.node for node in place.possible for each in self._replied(node, operation, reply)}
        looks_so = [each for each in (*(o.node for o in outcomes), *sorted(possible)) if self._views[each] == view]
        if not looks_so:
            return None
        self.taken.setdefault((here, operation, outcomes[0].label), set()).add(looks_so[0])
        return _Place(looks_so[0], possible)

    def _replied(self, node: int, operation: Operation, reply: Reply) -> list[Outcome]:
        outcomes = self.fold.outcomes[node].get(operation, ())
        return [outcome for outcome in outcomes if reply_of(outcome.label) == reply]

    def _settled(self, drive: Drive, here: int, operation: Operation, outcomes: list[Outcome]) -> View:
        """The view of the run once it goes no further. Where it need not go on, watching once shows whether it does."""
        views = {self._views[outcome.node] for outcome in outcomes}
        while True:
            view = drive.view
            later = [each for each in views if each != view and view.may_become(each)]
            nothing_new = view == self._views[here] and any(outcome.node == here for outcome in outcomes)
            if not later or nothing_new:
                return view
            what = (operation.name, frozenset(name for each in later for name in differing(view, each)))
            if self._moves_on.get(what) is False:
                return view
            moves = drive.moves_on()
            self._moves_on[what] = moves or self._moves_on.get(what, False)
            if not moves:
                return view

    def _show_shorter(self, hook: Hook, here: int, operation: Operation) -> None:
        """Raise for the shortest known program that comes to the same fault, when it does."""
        way = self._path(self.fold.starts[hook], goal=here) or []
        drive = self._start(hook)
        try:
            for each in (*(each for each, _ in way), operation):
                drive.do(each)
        finally:
            drive.end()


class _Place:
    """Where a run is: by what was seen, and all that it may be."""

    def __init__(self, here: int, possible: set[int]) -> None:
        self.here = here
        self.possible = possible


def _loops_first(number: int, outcomes: Mapping[Operation, tuple[Outcome, ...]]) -> list[Operation]:
    """The operations at a node, those that change nothing first: they are tried where the run is anyway."""
    return sorted(outcomes, key=lambda operation: any(each.node != number for each in outcomes[operation]))
