"""A single event at rest: from the call of emit to the callback."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from statistics import median, quantiles
from typing import Any

from agent_run import Run, crew, events

SAMPLES, COLD_SAMPLES, PAUSE_SECONDS = 300, 9, 0.002
TOKEN = events.Token(text="word")
Handler = Callable[[], object]


@contextmanager
def a_run(on_arrival: Handler) -> Iterator[Handler]:
    run = Run()
    tap = run.events.tap(lambda _: on_arrival())
    yield lambda: run.emit(TOKEN)
    tap.close()


@contextmanager
def a_queue(on_arrival: Handler) -> Iterator[Handler]:
    queue: SimpleQueue[object] = SimpleQueue()
    reader = threading.Thread(target=lambda: [on_arrival() for _ in iter(queue.get, None)])
    reader.start()
    yield lambda: queue.put(TOKEN)
    queue.put(None)
    reader.join()


def samples(contender: Callable[[Handler], Any], count: int, pause: float) -> list[float]:
    """Microseconds from the call to the arrival, with a pause before each."""
    arrived, times = threading.Event(), [0, 0]

    def on_arrival() -> None:
        times[1] = time.perf_counter_ns()
        arrived.set()

    found = []
    with contender(on_arrival) as send:
        for _ in range(count):
            time.sleep(pause)
            arrived.clear()
            times[0] = time.perf_counter_ns()
            send()
            arrived.wait()
            found.append((times[1] - times[0]) / 1000)
    return found


def measure() -> list[dict[str, Any]]:
    """Median and 95th percentile; cold means that the idle thread has ended and a new one is started."""
    cold = crew.LINGER_SECONDS * 1.2
    rows = {
        "queue.SimpleQueue": samples(a_queue, SAMPLES, PAUSE_SECONDS),
        "run": samples(a_run, SAMPLES, PAUSE_SECONDS),
        "run, cold": samples(a_run, COLD_SAMPLES, cold),
    }
    return [
        {"name": name, "median_us": median(found), "p95_us": quantiles(found, n=20)[-1]} for name, found in rows.items()
    ]
