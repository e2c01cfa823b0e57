"""Locks that know the scheduler. The rest of `threading` and `queue` is written in Python and is built from these.

Between trials, and for a thread that no trial manages, they are the plain locks that they hold inside.
"""

import _thread
import re
import sys
import sysconfig
import threading
from pathlib import Path
from types import FrameType
from typing import Any

from agent_run_tck.schedules.managed import Managed
from agent_run_tck.schedules.scheduler import End, Scheduler

ACTIVE: list[Scheduler] = []
"""The scheduler of the trial that is running, if one is."""

STANDARD_LIBRARY = sysconfig.get_paths()["stdlib"]
INSTALLED = re.compile(r"[/\\](?:site|dist)-packages[/\\]")
KIT = str(Path(__file__).parents[1])


def not_under_test(file: str) -> bool:
    """Whether a file belongs to the standard library or to the kit."""
    return file.startswith(KIT) or (file.startswith(STANDARD_LIBRARY) and not INSTALLED.search(file))


def here() -> tuple[Scheduler, Managed] | None:
    """The scheduler and the calling thread, where that is a thread of the trial."""
    if not ACTIVE or (me := ACTIVE[-1].current()) is None:
        return None
    return ACTIVE[-1], me


def _maker() -> tuple[str, bool]:
    """What the lock is that the caller's caller makes, in words, and whether code under test makes it directly."""
    direct: FrameType | None = sys._getframe(2)
    frame = direct
    while frame is not None and not_under_test(frame.f_code.co_filename):
        frame = frame.f_back
    place = "somewhere" if frame is None else f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
    notified = (
        direct is not None and direct.f_code.co_filename == threading.__file__ and direct.f_code.co_name == "wait"
    )
    return f"a notification, since {place}" if notified else f"the lock made at {place}", frame is direct


class Lock:
    """What `threading.Lock` and the lock inside everything else are for the threads of a trial."""

    def __new__(cls) -> Any:
        return super().__new__(cls) if here() else _thread.allocate_lock()

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()
        self._what, self._is_point = _maker()
        self._owner = ""

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        found = here()
        if found is None:
            _refuse_strangers(self._what)
            return self._lock.acquire(blocking, timeout)
        scheduler, me = found
        if self._is_point:
            scheduler.point(f"takes {self}")
        while not self._lock.acquire(False):
            if not blocking:
                return False
            came = scheduler.wait(self._is_free, str(self), None if timeout < 0 else timeout)
            if me.unwinding:
                return True
            if not came:
                return False
        self._owner = me.label
        return True

    def release(self) -> None:
        found = here()
        if found is None:
            _refuse_strangers(self._what)
        elif found[1].unwinding and not self._lock.locked():
            return
        self._owner = ""
        self._lock.release()

    def locked(self) -> bool:
        return self._lock.locked()

    def _is_free(self) -> bool:
        return not self._lock.locked()

    _is_owned = locked  # what Condition asks of a lock, and would find out by trying

    def _at_fork_reinit(self) -> None:
        self._lock = _thread.allocate_lock()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def __str__(self) -> str:
        return self._what + (f", which {self._owner} holds" if self._owner and self._what.startswith("the") else "")


class RLock:
    """What `threading.RLock` is for the threads of a trial."""

    def __new__(cls) -> Any:
        return super().__new__(cls) if here() else _thread.RLock()

    def __init__(self) -> None:
        self._lock = Lock()
        self._lock._what, self._lock._is_point = _maker()
        self._owner: int | None = None
        self._count = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        if self._owner == _thread.get_ident():
            self._count += 1
            return True
        if not self._lock.acquire(blocking, timeout):
            return False
        self._owner, self._count = _thread.get_ident(), 1
        return True

    def release(self) -> None:
        if self._owner != _thread.get_ident():
            if (found := here()) and found[1].unwinding:
                return
            raise RuntimeError("cannot release un-acquired lock")
        self._count -= 1
        if not self._count:
            self._owner = None
            self._lock.release()

    __enter__ = acquire

    def __exit__(self, *_: object) -> None:
        self.release()

    # what Condition asks of a lock that is taken more than once

    def _is_owned(self) -> bool:
        return self._owner == _thread.get_ident()

    def _release_save(self) -> int:
        count, self._count, self._owner = self._count, 0, None
        self._lock.release()
        return count

    def _acquire_restore(self, count: int) -> None:
        self._lock.acquire()
        self._owner, self._count = _thread.get_ident(), count

    def _at_fork_reinit(self) -> None:
        self.__init__()  # type: ignore[misc]


def _refuse_strangers(what: str) -> None:
    """A thread that nobody manages may come at any moment, so what it does to a lock cannot be replayed."""
    if ACTIVE and not ACTIVE[-1].over:
        name = threading.current_thread().name
        text = f"thread {name}, which was not started through the module threading in the trial, uses {what}"
        ACTIVE[-1].stop(End("unsupported", text))
