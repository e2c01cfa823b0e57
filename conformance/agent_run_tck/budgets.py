"""How long the kit waits. Both times scale with what a round trip through the implementation takes."""

import time
from collections.abc import Callable

from attrs import evolve, frozen


@frozen
class Budgets:
    """All times in seconds.

    `wait`: how long to wait for what must come. Only a failing check uses it up, so it may be generous.
    `watch`: how long to watch for what must not come. Every passing check of that kind uses it up.
    `examples`: how many programs the model-driven state machine tries.
    `race`: how long each scenario of races is tried again and again.
    `schedules`: how long the schedules of each scenario are explored; 0: not at all.
    `waits`: how many waits that time out must leave nothing behind.
    `tour_taps`: how many taps a run of the tour of the model may have; 2 tour the whole graph.
    """

    name: str
    wait: float
    watch: float
    examples: int
    race: float
    schedules: float = 0.0
    tour_taps: int = 2
    waits: int = 10_000

    @property
    def case(self) -> float:
        """How long one check may take before it is called a hang: some of its waits may be used up without one."""
        return 4 * self.wait

    def hurried(self) -> "Budgets":
        """For what is known to fail, or to hang everywhere."""
        return evolve(self, wait=min(self.wait, max(0.5, 10 * self.watch)), race=self.race / 10, waits=self.waits // 20)

    def scaled(self, usual: float, longest: float) -> "Budgets":
        """Budgets for a round trip of so many seconds, usually and at the most; the plain ones suit a millisecond."""
        return evolve(self, wait=self.wait * _factor(longest), watch=self.watch * _factor(usual))


def _factor(round_trip: float) -> float:
    return min(max(1.0, round_trip / 0.001), 20.0)


BUDGETS = {
    budgets.name: budgets
    for budgets in (
        Budgets("quick", wait=2.0, watch=0.02, examples=15, race=0.1, tour_taps=1, waits=500),
        Budgets("standard", wait=5.0, watch=0.03, examples=60, race=1.0),
        Budgets("deep", wait=20.0, watch=0.2, examples=1000, race=20.0, schedules=120.0),
    )
}


def median_and_longest(action: Callable[[], object], within: float, times: int = 9) -> tuple[float, float]:
    """How long `action` usually takes, and how long at the most, in seconds; asked no more once `within` is over."""
    durations: list[float] = []
    while len(durations) < times and sum(durations) < within:
        start = time.perf_counter()
        action()
        durations.append(time.perf_counter() - start)
    return sorted(durations)[len(durations) // 2], max(durations)
