"""How things are measured: several rounds, every contender once in each, and medians of them."""

import gc
import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import NamedTuple


class Cost(NamedTuple):
    """Nanoseconds per event: of processor time, over all threads, and by the clock."""

    cpu: float
    wall: float


def cost(action: Callable[[int], None], events: int) -> Cost:
    """What `action(events)` costs per event."""
    gc.collect()
    wall, cpu = time.perf_counter_ns(), time.process_time_ns()
    action(events)
    cpu, wall = time.process_time_ns() - cpu, time.perf_counter_ns() - wall
    return Cost(cpu / events, wall / events)


def interleaved(contenders: Mapping[str, tuple[Callable[[int], None], int]], rounds: int) -> dict[str, list[Cost]]:
    """Measure each contender once per round, so that what disturbs a round disturbs all of them."""
    costs: dict[str, list[Cost]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, (action, events) in contenders.items():
            costs[name].append(cost(action, events))
    return costs


def middle(costs: list[Cost]) -> Cost:
    """The median of each kind of time."""
    return Cost(median(each.cpu for each in costs), median(each.wall for each in costs))


def faster(one: list[Cost], other: list[Cost]) -> float:
    """How many times the throughput of the other one has: the median of the ratios within the rounds."""
    return median(b.cpu / a.cpu for a, b in zip(one, other, strict=True))
