"""What a run costs that does nothing, and a thousand that do something."""

import gc
import threading
import tracemalloc
from statistics import median
from typing import Any

from agent_run import Run

from bench.measure import cost
from bench.throughput import END, EVENTS, TOKEN, emitting

RUNS, ROUNDS, EVENTS_EACH = 1_000, 5, 10


def creation_us() -> float:
    """Microseconds of processor time to make a run, its id included."""
    return median(cost(lambda count: [Run() for _ in range(count)].clear(), RUNS).cpu for _ in range(ROUNDS)) / 1000


def weight() -> tuple[float, float]:
    """Bytes and threads of an idle run."""
    gc.collect()
    threads = set(threading.enumerate())
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    runs = [Run() for _ in range(RUNS)]
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (after - before) / len(runs), len(set(threading.enumerate()) - threads) / len(runs)


def live_runs(count: int) -> int:
    """Emit to a thousand runs in turn, each with a tap, and finish them. Returns the most threads at a time."""
    ended, most = threading.Semaphore(0), 0
    runs = [Run() for _ in range(RUNS)]
    for run in runs:
        run.events.tap(lambda _: None, ended.release)
    for _ in range(count // RUNS):
        for run in runs:
            run.emit(TOKEN)
        most = max(most, threading.active_count())
    for run in runs:
        run.finish(END)
    for _ in runs:
        ended.acquire()
    return most


def measure() -> dict[str, Any]:
    threads: list[int] = []
    ratios = []
    for _ in range(ROUNDS):
        one = cost(emitting(1), EVENTS)
        many = cost(lambda count: threads.append(live_runs(count)), RUNS * EVENTS_EACH)
        ratios.append(one.cpu / many.cpu)
    size, owned = weight()
    return {
        "creation_us": creation_us(),
        "bytes": size,
        "threads": owned,
        "live_runs": RUNS,
        "live_to_one": median(ratios),
        "live_threads": median(threads),
    }
