"""Locks that make noise, for the runs that are made while they stand in for those of `threading`."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

Point = Callable[[], None]


class NoisyLock:
    """A lock that passes a point before it is taken and after it was let go; all else is the lock's own."""

    def __init__(self, lock: Any, point: Point) -> None:
        self._lock = lock
        self._point = point

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        self._point()
        return bool(self._lock.acquire(blocking, timeout))

    def release(self) -> None:
        self._lock.release()
        self._point()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lock, name)


@contextmanager
def noisy_locks(point: Point) -> Generator[None]:
    """Inside the block `threading` makes noisy locks; what is made of locks there (conditions, queues) has them too."""
    lock, reentrant = threading.Lock, threading.RLock
    names: Any = threading
    names.Lock, names.RLock = (lambda: NoisyLock(lock(), point)), (lambda: NoisyLock(reentrant(), point))
    try:
        yield
    finally:
        names.Lock, names.RLock = lock, reentrant
