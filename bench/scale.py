"""Whether the cost of an event stays the same up to a million, delivered at once or to a late tap."""

import threading
import time
from statistics import median
from typing import Any

from agent_run import Run

from bench.measure import cost
from bench.throughput import END, emit, emitting

SIZES = {10_000: 9, 100_000: 5, 1_000_000: 3}  # and how often each is measured


def late_tap(count: int) -> tuple[float, float]:
    """Nanoseconds of processor time per event: to emit with no tap, and to hand the backlog to a tap."""
    run, done = Run(), threading.Event()
    start = time.process_time_ns()
    emit(run, count)
    run.finish(END)
    emitted = time.process_time_ns()
    run.events.tap(lambda _: None, done.set)
    done.wait()
    return (emitted - start) / count, (time.process_time_ns() - emitted) / count


def measure() -> list[dict[str, Any]]:
    """A row per size, in nanoseconds of processor time per event."""
    rows = []
    for size, times in SIZES.items():
        late = [late_tap(size) for _ in range(times)]
        rows.append(
            {
                "events": size,
                "live_ns": median(cost(emitting(1), size).cpu for _ in range(times)),
                "accept_ns": median(accept for accept, _ in late),
                "backlog_ns": median(deliver for _, deliver in late),
            }
        )
    return rows
