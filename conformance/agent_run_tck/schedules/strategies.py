"""Who gets the turn: the default order, a list of decisions that differ from it, and three kinds of chance.

The default order lets a thread go on until it has to wait, and then turns to the next one in the order of creation.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Protocol

from attrs import define, field, frozen

Key = tuple[str, int]
"""A moment of a schedule, whatever other threads do: a thread, and how many points it has come to."""


@frozen
class Option:
    """What may go on: a thread, or one of the callbacks that are ready on a loop."""

    id: str
    moment: Key
    touches: frozenset[str]


@frozen
class Turn:
    """One choice: at `key`, with two or more options, of which one is the default."""

    key: Key
    options: Sequence[Option]
    default: str
    goes_on: bool
    """Whether the default is that the thread goes on, so that anything else is a forced switch."""

    def others(self) -> list[str]:
        return [option.id for option in self.options if option.id != self.default]


class Strategy(Protocol):
    def choose(self, turn: Turn) -> str:
        """The id of one of the options. Called by the thread that has the turn, for one turn after the other."""


class Default:
    """No switch that is not needed."""

    def choose(self, turn: Turn) -> str:
        return turn.default


@define
class Forced:
    """The default order, but for the decisions that are given: by moment, the option that gets the turn."""

    decisions: Mapping[Key, str]

    def choose(self, turn: Turn) -> str:
        wanted = self.decisions.get(turn.key, turn.default)
        return wanted if any(option.id == wanted for option in turn.options) else turn.default


@define
class RandomWalk:
    """Switches at each point with a probability that is drawn once, between 2 and 50 percent."""

    random: Random
    _chance: float = 0.0

    def __attrs_post_init__(self) -> None:
        self._chance = 0.02 * 25 ** self.random.random()

    def choose(self, turn: Turn) -> str:
        if turn.goes_on and self.random.random() >= self._chance:
            return turn.default
        return self.random.choice(turn.others() if turn.goes_on else [option.id for option in turn.options])


@define
class Priorities:
    """PCT: threads have random priorities; at a few random turns the one that leads falls behind all others.

    Burckhardt et al., "A randomized scheduler with probabilistic guarantees of finding bugs", 2010.
    """

    random: Random
    length: int
    _turns: int = 0
    _changes: set[int] = field(factory=set)
    _priority: dict[str, float] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        count = self.random.choice((1, 1, 2, 2, 3, 5))
        self._changes = {self.random.randrange(max(1, self.length)) for _ in range(count)}

    def choose(self, turn: Turn) -> str:
        for option in turn.options:
            self._priority.setdefault(option.id, 1 + self.random.random())
        leader = self._leader(turn)
        if self._turns in self._changes:
            self._priority[leader] = -float(self._turns)
            leader = self._leader(turn)
        self._turns += 1
        return leader

    def _leader(self, turn: Turn) -> str:
        return max((option.id for option in turn.options), key=self._priority.__getitem__)


@define
class PartialOrder:
    """POS: each next step has a random priority, drawn anew when a step was taken that touches the same.

    Yuan, Yang and Gu, "Partial order aware concurrency sampling", 2018.
    """

    random: Random
    _priority: dict[tuple[str, Key], float] = field(factory=dict)

    def choose(self, turn: Turn) -> str:
        best = max(turn.options, key=self._priority_of)
        for option in turn.options:
            if option is best or option.touches & best.touches:
                self._priority.pop((option.id, option.moment), None)
        return best.id

    def _priority_of(self, option: Option) -> float:
        return self._priority.setdefault((option.id, option.moment), self.random.random())


def portfolio(seed: int, number: int, length: int) -> tuple[str, Strategy]:
    """The name and the strategy of the `number`-th random try: the three kinds take turns."""
    random = Random(f"{seed}/{number}")
    kinds: Sequence[tuple[str, Callable[[], Strategy]]] = (
        ("PCT", lambda: Priorities(random, length)),
        ("POS", lambda: PartialOrder(random)),
        ("random walk", lambda: RandomWalk(random)),
    )
    name, make = kinds[number % len(kinds)]
    return name, make()
