"""From emit to delivery: events per second, against the limit of the language and against peers."""

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import janus
from agent_run import Run, events
from reactivex.scheduler import EventLoopScheduler
from reactivex.subject import ReplaySubject

from bench.measure import faster, interleaved, middle

ROUNDS, EVENTS = 15, 30_000
TOKEN = events.Token(text="word")
END = events.RunCompleted(final="", rounds=1, message_count=1)
Row = dict[str, Any]


def stamping(count: int) -> None:
    """The least that a run has to do: a copy of each event, with its id and the next seq."""
    for seq in range(count):
        events.order(events.stamp(TOKEN, "run"), seq)


def emitting(emitters: int) -> Callable[[int], None]:
    """A run with a tap that counts, and so many threads that emit; over when done has come."""

    def measure(count: int) -> None:
        run, done, seen = Run(), threading.Event(), 0

        def on_event(_: events.Event) -> None:
            nonlocal seen
            seen += 1

        run.events.tap(on_event, done.set)
        together(emitters, lambda: emit(run, count // emitters))
        run.finish(END)
        done.wait()
        if seen != count // emitters * emitters + 1:
            raise RuntimeError(f"{seen} events were delivered of {count} and the terminal")

    return measure


def emit(run: Run, count: int) -> None:
    for _ in range(count):
        run.emit(TOKEN)


def together(threads: int, work: Callable[[], None]) -> None:
    helpers = [threading.Thread(target=work) for _ in range(threads - 1)]
    for helper in helpers:
        helper.start()
    work()
    for helper in helpers:
        helper.join()


def simple_queue(count: int) -> None:
    """The bare hand-over of the standard library: no order of its own, no backlog, no end."""
    queue: SimpleQueue[Any] = SimpleQueue()
    reader = threading.Thread(target=lambda: [queue.get() for _ in range(count)])
    reader.start()
    for _ in range(count):
        queue.put(TOKEN)
    reader.join()


def replay_subject(count: int) -> None:
    """The nearest relative: a stream with a backlog, on a thread of its own."""
    scheduler, done = EventLoopScheduler(), threading.Event()
    subject: ReplaySubject[Any] = ReplaySubject(scheduler=scheduler)
    subject.subscribe(on_next=lambda _: None, on_completed=done.set)
    for _ in range(count):
        subject.on_next(TOKEN)
    subject.on_completed()
    done.wait()
    scheduler.dispose()


def put_all(queue: janus.Queue[Any], count: int) -> None:
    for _ in range(count):
        queue.sync_q.put(TOKEN)


def janus_queue(count: int) -> None:
    """From a thread to a coroutine."""

    async def hand_over() -> None:
        queue: janus.Queue[Any] = janus.Queue()
        writer = threading.Thread(target=put_all, args=(queue, count))
        writer.start()
        for _ in range(count):
            await queue.async_q.get()
        writer.join()
        await queue.aclose()

    asyncio.run(hand_over())


CONTENDERS = {
    "stamping alone": (stamping, EVENTS),
    "run, one emitter": (emitting(1), EVENTS),
    "run, four emitters": (emitting(4), EVENTS),
    "queue.SimpleQueue": (simple_queue, EVENTS),
    "janus": (janus_queue, EVENTS),
    "reactivex ReplaySubject": (replay_subject, EVENTS // 10),
}


def measure() -> list[Row]:
    """A row per contender, with its throughput as a multiple of that of a run with one emitter."""
    costs = interleaved(CONTENDERS, ROUNDS)
    one = costs["run, one emitter"]
    return [
        {"name": name, "cpu_ns": middle(each).cpu, "wall_ns": middle(each).wall, "to_one": faster(each, one)}
        for name, each in costs.items()
    ]
