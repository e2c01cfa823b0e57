"""Small programs to explore, each with one fault or with none. This file is the code under test."""

import _thread
import asyncio
import queue
import socket
import threading
import time
from collections.abc import Callable, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext

from agent_run_tck.races.trial import Violated

FOREVER = 1_000_000.0
UNSEEN_START = _thread.start_new_thread  # taken before there is a trial


class Toy:
    """A program and the race of one trial at once: `build` comes first in each trial."""

    files: Set[str] = frozenset({__file__})
    stops_at_lines = True
    cold = False
    requirement = "TOY-1"
    spoiled = 0

    def around(self) -> AbstractContextManager[None]:
        return nullcontext()

    def race(self, point: Callable[[], object]) -> "Toy":
        self.point = point
        self.build()
        return self

    def build(self) -> None: ...

    def bodies(self) -> Sequence[Callable[[], object]]:
        raise NotImplementedError

    def judge(self) -> None: ...

    def history(self) -> Sequence[str]:
        return ["the history of the toy"]

    def at_rest(self) -> None: ...

    def spoil(self) -> None:
        self.spoiled += 1


def expect(found: object, wanted: object) -> None:
    if found != wanted:
        raise Violated("TOY-2", f"{found} instead of {wanted}")


class Account(Toy):
    """Deposits in two steps without a lock."""

    def build(self) -> None:
        self.balance = 0

    def deposit(self) -> None:
        before = self.balance
        self.balance = before + 1

    def bodies(self) -> Sequence[Callable[[], object]]:
        return [self.deposit, self.deposit]

    def judge(self) -> None:
        expect(self.balance, 2)


class LockedAccount(Account):
    def build(self) -> None:
        super().build()
        self.lock = threading.Lock()

    def deposit(self) -> None:
        with self.lock:
            super().deposit()


class PooledAccount(Account):
    """The threads are those of a pool."""

    def bodies(self) -> Sequence[Callable[[], object]]:
        pool = ThreadPoolExecutor(2)
        return [lambda: pool.submit(self.deposit).result(10)] * 2


class Embrace(Toy):
    """Takes two locks in both orders."""

    def build(self) -> None:
        self.a, self.b = threading.Lock(), threading.RLock()

    def one(self) -> None:
        with self.a, self.b:
            pass

    def two(self) -> None:
        with self.b, self.a:
            pass

    def bodies(self) -> Sequence[Callable[[], object]]:
        return [self.one, self.two]


class LostWakeUp(Toy):
    """Looks before it takes the lock, and then waits for what was notified already."""

    def build(self) -> None:
        self.items: list[int] = []
        self.changed = threading.Condition()

    def get(self) -> None:
        empty = not self.items
        if empty:
            with self.changed:
                self.changed.wait()

    def put(self) -> None:
        self.items.append(1)
        with self.changed:
            self.changed.notify()

    def bodies(self) -> Sequence[Callable[[], object]]:
        return [self.get, self.put]


class Polling(Toy):
    """Waits in a loop for what nobody does."""

    stop = False

    def poll(self) -> None:
        while not self.stop:
            time.sleep(0.01)  # what the toy is about; under the scheduler time is virtual

    def bodies(self) -> Sequence[Callable[[], object]]:
        return [self.poll, self.poll]


class Spinning(Polling):
    """The same, without giving the turn away."""

    def poll(self) -> None:
        while not self.stop:
            pass


class Spun(Spinning):
    """Waits likewise for what somebody does in the end, so it is slow and right."""

    def build(self) -> None:
        self.stop = False

    def bodies(self) -> Sequence[Callable[[], object]]:
        return [self.poll, lambda: setattr(self, "stop", True)]


class Serving(Account):
    """Right: a thread that polls for ever does the work, and one that never sleeps looks on."""

    def build(self) -> None:
        super().build()
        self.orders: list[None] = []
        for service in (self.serve, self.look_on):
            threading.Thread(target=service, daemon=True).start()

    def serve(self) -> None:
        while True:
            time.sleep(0.001)  # the same: a service that polls
            while self.orders:
                self.balance += len(self.orders)
                self.orders.clear()

    def look_on(self) -> None:
        while True:
            self.point()

    def bodies(self) -> Sequence[Callable[[], object]]:
        return [lambda: self.orders.append(None), lambda: None]

    def judge(self) -> None:
        expect(self.balance, 1)


class Swallowing(Embrace):
    """One of its threads does not end for anything that is raised in it."""

    def one(self) -> None:
        while True:
            try:
                super().one()
                return
            except BaseException:
                self.point()


class GoesRound(Toy):
    """Goes round in code that is not under test."""

    def bodies(self) -> Sequence[Callable[[], object]]:
        return [lambda: exec("while True: pass")]


class Listening(Toy):
    """Waits in the operating system."""

    def build(self) -> None:
        self.ends = socket.socketpair()

    def bodies(self) -> Sequence[Callable[[], object]]:
        return [lambda: self.ends[0].recv(1)]

    def spoil(self) -> None:
        super().spoil()
        self.ends[1].send(b".")
        for end in self.ends:
            end.close()


class Apart(Toy):
    """Right, and its thread does not go through `threading`: it may still be on its way when all others rest."""

    def build(self) -> None:
        self.done: list[int] = []
        self.goes = _thread.allocate_lock()
        self.goes.acquire()

    def bodies(self) -> Sequence[Callable[[], object]]:
        return [self.begin]

    def begin(self) -> None:
        _thread.start_new_thread(self.work, ())

    def work(self) -> None:
        self.goes.acquire(timeout=5)
        self.done.append(1)

    def judge(self) -> None:
        expect(self.done, [1])

    def at_rest(self) -> None:
        self.goes.release()


class Unseen(Apart):
    """The same, started by what nobody can replace, as in a module in C."""

    def begin(self) -> None:
        begun = _thread.allocate_lock()
        begun.acquire()
        UNSEEN_START(self.tell_and_work, (begun.release,))
        begun.acquire(timeout=5)

    def tell_and_work(self, tell: Callable[[], None]) -> None:
        tell()
        self.work()


class Stranger(LockedAccount):
    """Has a thread that nobody manages take a lock."""

    def bodies(self) -> Sequence[Callable[[], object]]:
        return [self.deposit, self.start]

    def start(self) -> None:
        met = _thread.allocate_lock()
        met.acquire()
        UNSEEN_START(self.meet, (met.release,))
        met.acquire(timeout=10)

    def meet(self, went: Callable[[], None]) -> None:
        self.deposit()
        went()


class Meeting(Toy):
    """Right, with one of everything that `threading` and `queue` have to wait with."""

    def build(self) -> None:
        self.seen: list[object] = []
        self.line = threading.Barrier(2)
        self.event = threading.Event()
        self.places = threading.BoundedSemaphore(1)
        self.simple: queue.SimpleQueue[int] = queue.SimpleQueue()
        self.bounded: queue.Queue[int] = queue.Queue(1)

    def one(self) -> None:
        self.line.wait(FOREVER)
        for number in range(2):
            self.bounded.put(number)
        self.event.wait()
        with self.places:
            self.seen.append(self.simple.get(timeout=FOREVER))
        assert not self.event.wait(0) or self.event.is_set()

    def two(self) -> None:
        self.line.wait()
        self.seen.extend(self.bounded.get(timeout=FOREVER) for _ in range(2))
        try:
            self.simple.get(timeout=FOREVER)
        except queue.Empty:
            self.seen.append("empty")
        child = threading.Thread(target=self.simple.put, args=(2,))
        child.start()
        child.join(FOREVER)
        assert not child.is_alive()
        with self.places:
            self.event.set()

    def bodies(self) -> Sequence[Callable[[], object]]:
        return [self.one, self.two]

    def judge(self) -> None:
        expect(self.seen, [0, 1, "empty", 2])


class Tasks(Toy):
    """Two tasks of one loop: one sets something after two awaits that the other one uses after three."""

    stops_at_lines = False
    steps_of_the_user = 3

    def build(self) -> None:
        self.value, self.used = "unset", ""

    async def sets(self) -> None:
        for _ in range(2):
            await asyncio.sleep(0)
        self.value = "set"

    async def uses(self) -> None:
        for _ in range(self.steps_of_the_user):
            await asyncio.sleep(0)
        self.used = self.value

    def bodies(self) -> Sequence[Callable[[], object]]:
        async def both() -> None:
            await asyncio.gather(self.sets(), self.uses())
            await asyncio.sleep(FOREVER)

        def run() -> None:
            loop = asyncio.new_event_loop()
            loop.run_until_complete(both())
            loop.close()

        return [run]

    def judge(self) -> None:
        expect(self.used, "set")


class TasksInOrder(Tasks):
    """The same by plain callbacks and first steps, whose order asyncio keeps."""

    async def sets(self) -> None:
        self.value = "set"

    async def uses(self) -> None:
        asyncio.get_running_loop().call_soon(lambda: setattr(self, "used", self.value))
