"""A promise that is kept, never broken: result, cancellation and drained."""

import asyncio
import threading
from collections.abc import Callable, Generator
from functools import partial
from typing import Any, Final, Generic, Literal, TypeVar

from agent_run.crew import crew, shielded
from agent_run.plain import thaw

T = TypeVar("T")
_PLANNED: Final = object()


class Promise(Generic[T]):
    """A value that is planned until the run keeps it, and then kept for good; there is no third state.

    Every reader gets a copy of its own (RESULT-9). All may be called from any thread and callback; only `wait` blocks.
    """

    def __init__(self, changed: threading.Condition) -> None:
        self._changed = changed  # on the run's lock, one for its three promises: it is half of what an idle run weighs
        self._value: object = _PLANNED
        self._continuations: dict[object, Callable[[T], object]] = {}

    @property
    def status(self) -> Literal["planned", "kept"]:
        """Never blocks and leaves nothing behind (IDENT-4, ISO-4)."""
        return "planned" if self._value is _PLANNED else "kept"

    @property
    def value(self) -> T:
        """A fresh copy of the value. Never blocks. Raises RuntimeError while the promise is planned."""
        if self._value is _PLANNED:
            raise RuntimeError("the promise is still planned, so it has no value yet; wait() waits for it")
        return thaw(self._value)  # type: ignore[no-any-return]

    def wait(self, timeout: float | None = None) -> T:
        """Block until the promise is kept, at most `timeout` seconds, and return a fresh copy of the value.

        Raises TimeoutError after `timeout`; promise and run are then as they were (PROMISE-4, ISO-4).
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._value is not _PLANNED, timeout):
                raise TimeoutError(f"the promise was not kept within {timeout} s")
        return self.value

    def then(self, continuation: Callable[[T], object]) -> None:
        """Have `continuation(value)` called once, on a thread of its own, as soon as the promise is kept (PROMISE-1).

        Returns at once. One that blocks holds up nobody (PROMISE-3); what it raises goes to the log only (PROMISE-2).
        """
        self._register(continuation)

    def __await__(self) -> Generator[Any, None, T]:
        """Wait without blocking the running asyncio loop. A cancelled await leaves nothing behind (ISO-4)."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def resolve(value: T) -> None:
            if not future.done():
                future.set_result(value)

        ticket = self._register(lambda value: loop.call_soon_threadsafe(resolve, value))
        try:
            return (yield from future.__await__())
        finally:
            with self._changed:
                self._continuations.pop(ticket, None)

    def _register(self, continuation: Callable[[T], object]) -> object:
        ticket = object()
        with self._changed:
            self._continuations[ticket] = continuation
        self._announce()
        return ticket

    def _keep(self, value: object) -> None:
        """Keep the promise with a frozen value. The lock is held; the caller announces once it has let go of it."""
        self._changed.notify_all()  # first: where the stack is too full for this, nothing has happened
        self._value = value

    def _announce(self) -> None:
        """If the promise is kept, start the continuations that have not been. The lock is not held (LEAF-3)."""
        if self._value is _PLANNED or not self._continuations:
            return
        with self._changed:
            due, self._continuations = self._continuations, {}
        for continuation in due.values():
            call = partial(shielded, "a continuation", continuation, self.value)
            try:
                crew.start(call)
            except RuntimeError:  # no thread is to be had, and it is owed exactly one call
                call()
