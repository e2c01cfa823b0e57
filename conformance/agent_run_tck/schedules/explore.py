"""Exploring: two runs in the default order, one forced switch everywhere, chance, and then two forced switches."""

import itertools
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from random import Random

from attrs import define, field, frozen

from agent_run_tck.schedules.scheduler import USUAL, Decision, Limits
from agent_run_tck.schedules.strategies import Default, Forced, Key, Strategy, portfolio
from agent_run_tck.schedules.trial import Finding, Outcome, Program, run_trial

Deviation = tuple[Key, str]
WARM_UPS = 2


@frozen
class Sweep:
    """How many schedules were run, of how many that there are."""

    run: int
    of: int

    def __str__(self) -> str:
        return f"exhausted: {self.run:,} schedules" if self.run == self.of else f"{self.run:,} of {self.of:,} schedules"


@frozen
class Exploration:
    """What was explored, and what came of it. `unsupported` says why the scenario does not lend itself to it."""

    finding: Finding | None
    decisions: Sequence[Decision]
    stage: str
    unsupported: str
    points: int
    one_delay: Sweep
    two_delay: Sweep | None
    """None when that sweep was not begun."""
    chance: dict[str, int]
    seconds: float

    @property
    def schedules(self) -> int:
        """How many were run, the warm-up apart."""
        return self.one_delay.run + sum(self.chance.values()) + (self.two_delay.run if self.two_delay else 0)

    def covered(self) -> str:
        """One line that says what was exhausted."""
        kinds = ", ".join(f"{count:,} {name}" for name, count in self.chance.items())
        return (
            f"one-delay sweep {self.one_delay}; drawn at random: {kinds or 'none'}; "
            f"two-delay sweep {self.two_delay or 'not begun'}"
        )


class _Enough(Exception):
    """There is a finding, or control was lost."""


@define
class Explorer:
    """Explores one program for so many seconds. It belongs to the thread that calls it; see run_trial.

    `share_of_chance`: of the time that is left after the one-delay sweep; the two-delay sweep has the rest.
    """

    program: Program
    seconds: float
    seed: int
    limits: Limits = USUAL
    share_of_chance: float = 0.5
    _stage: str = "default order"
    _last: Outcome | None = None
    _ones: list[tuple[Deviation, list[Deviation]]] = field(factory=list)
    _one_delay: Sweep = Sweep(0, 0)
    _two_delay: Sweep | None = None
    _chance: Counter[str] = field(factory=Counter)
    _start: float = field(factory=time.monotonic)

    def explore(self) -> Exploration:
        """Blocks for about `seconds`, or until something is found, or everything is exhausted."""
        self._start = time.monotonic()
        deadline = self._start + self.seconds
        try:
            base = [self._run(Default()) for _ in range(WARM_UPS)][-1]
            self._sweep_one(base, deadline)
            self._draw(base, deadline - (1 - self.share_of_chance) * max(0.0, deadline - time.monotonic()))
            self._sweep_two(deadline)
        except _Enough:
            pass
        return self._exploration()

    def _run(self, strategy: Strategy) -> Outcome:
        self._last = outcome = run_trial(self.program, strategy, self.limits)
        if outcome.finding or outcome.unsupported:
            raise _Enough
        return outcome

    def _sweep_one(self, base: Outcome, deadline: float) -> None:
        """In random order, so that a part of it is spread over the whole."""
        self._stage = "one-delay sweep"
        deviations = _deviations(base)
        Random(self.seed).shuffle(deviations)
        self._one_delay = Sweep(0, len(deviations))
        for number, deviation in enumerate(deviations):
            if time.monotonic() > deadline:
                return
            self._one_delay = Sweep(number + 1, len(deviations))
            outcome = self._run(Forced(dict([deviation])))
            self._ones.append((deviation, _deviations(outcome, after=deviation[0])))

    def _draw(self, base: Outcome, deadline: float) -> None:
        for number in itertools.count() if base.turns else ():
            if time.monotonic() > deadline:
                return
            self._stage, strategy = portfolio(self.seed, number, len(base.turns))
            self._chance[self._stage] += 1
            self._run(strategy)

    def _sweep_two(self, deadline: float) -> None:
        """In random order as well. Only after the whole of the first sweep is it known what there is."""
        if self._one_delay.run < self._one_delay.of:
            return
        self._stage = "two-delay sweep"
        ends = list(itertools.accumulate(len(seconds) for _, seconds in self._ones))
        total = ends[-1] if ends else 0
        self._two_delay = Sweep(0, total)
        for number, index in enumerate(_shuffled(total, Random(self.seed))):
            if time.monotonic() > deadline:
                return
            self._two_delay = Sweep(number + 1, total)
            which = bisect_right(ends, index)
            first, seconds = self._ones[which]
            second = seconds[index - (ends[which - 1] if which else 0)]
            self._run(Forced(dict([first, second])))

    def _exploration(self) -> Exploration:
        last = self._last
        return Exploration(
            finding=last.finding if last else None,
            decisions=tuple(last.decisions) if last and last.finding else (),
            stage=self._stage,
            unsupported=last.unsupported if last else "",
            points=last.points if last else 0,
            one_delay=self._one_delay,
            two_delay=self._two_delay,
            chance=dict(self._chance),
            seconds=time.monotonic() - self._start,
        )


def _deviations(outcome: Outcome, after: Key | None = None) -> list[Deviation]:
    """Every single decision that could have been another one, behind that at `after`."""
    keys = [key for key, _ in outcome.turns]
    begin = 0 if after is None else keys.index(after) + 1 if after in keys else len(keys)
    return [(key, other) for key, others in outcome.turns[begin:] for other in others]


def _shuffled(total: int, random: Random) -> Sequence[int]:
    """All numbers below `total` in random order, or a million of them."""
    return random.sample(range(total), min(total, 1_000_000))


def replayed(program: Program, decisions: Sequence[Decision], times: int, limits: Limits = USUAL) -> list[Outcome]:
    """Run the schedule that these decisions make, so many times."""
    return [run_trial(program, Forced({each.key: each.to for each in decisions}), limits) for _ in range(times)]
