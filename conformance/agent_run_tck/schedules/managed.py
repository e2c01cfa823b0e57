"""A thread that a scheduler manages, and how what it waits for is put into words."""

import _thread
import re
import threading
from collections.abc import Callable
from types import CodeType
from typing import Any

from attrs import define, evolve, field

from agent_run_tck.schedules.points import NOWHERE, Place, footprint
from agent_run_tck.schedules.strategies import Key, Option

NOTHING: frozenset[str] = frozenset()
COUNTED = re.compile(r"^(Thread|ThreadPoolExecutor|asyncio)-\d+")


class Abort(SystemExit):
    """Unwinds a thread whose trial is over. Nobody reports it, as nobody reports the end of a thread by SystemExit."""


def _held() -> Any:
    lock = _thread.allocate_lock()
    lock.acquire()
    return lock


@define(eq=False)
class Managed:
    """A thread of a trial. It runs only while it has the turn, which it gets through a lock of its own, the baton.

    `id` tells where it came from and is the same in every schedule: `0` directs the trial, `0.2` is the second thread
    that it started, `0.2.1` the first that this one started.
    """

    id: str
    label: str
    thread: threading.Thread | None = None
    baton: Any = field(factory=_held)
    gone: Any = field(factory=_held)
    ident: int = 0
    children: int = 0
    points: int = 0
    finished: bool = False
    unwinding: int = 0
    """How many operations it has done since its trial was over; 0 while that goes on."""
    at: tuple[CodeType, int] | None = None
    """Code and line of the last point, where that is a line; a Place is made of it when somebody asks."""
    _place: Place = NOWHERE
    ready: Callable[[], bool] | None = None
    waits_for: str = ""
    deadline: float | None = None
    timed_out: bool = False

    @property
    def enabled(self) -> bool:
        return not self.finished and (self.ready is None or self.timed_out or self.ready())

    @property
    def key(self) -> Key:
        return self.id, self.points

    def stands_at(self, place: Place) -> None:
        self.at, self._place = None, place

    @property
    def place(self) -> Place:
        return self._place if self.at is None else Place(self.at[0].co_filename, self.at[1])

    def option(self) -> Option:
        touches = NOTHING if self.at is None else footprint(*self.at) or NOTHING
        return Option(self.id, self.key, touches)

    def standing(self) -> str:
        """One line about a thread that has not come to its end."""
        waits = f"waits for {self.waits_for}" if self.ready is not None else "can go on"
        return f"{self.label} {waits}, at {evolve(self.place, what='')}"


def label_of(thread: threading.Thread | None, id: str) -> str:
    """The name of a thread without the number that Python counts through the whole process."""
    name = "thread" if thread is None else COUNTED.sub(r"\1", thread.name)
    return f"{name} ({id})"
