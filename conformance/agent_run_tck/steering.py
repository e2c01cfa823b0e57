"""Threads under control: every wait has a deadline, and what goes wrong in a helper thread reaches the check."""

import gc
import sys
import threading
import time
import traceback
from collections.abc import Callable
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any, Generic, TypeVar

T = TypeVar("T")


_asking = threading.Lock()


def frames() -> dict[int, FrameType]:
    """Where every thread of the process stands, by its ident.

    No garbage is collected meanwhile: CPython up to 3.11.7 and 3.12.0 may stand still for ever when that comes in
    between (its issue 106883).
    """
    with _asking:
        collects = gc.isenabled()
        gc.disable()
        try:
            return sys._current_frames()
        finally:
            if collects:
                gc.enable()


class Hang(AssertionError):
    """Something did not come to its end in time; the text says what, and where it stands."""


class Changes:
    """Lets a waiting check look again as soon as a callback has noted something."""

    LONGEST_LOOK = 0.02  # seconds; status and value change without telling anybody

    def __init__(self) -> None:
        self._changed = threading.Condition()

    def notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def until(self, condition: Callable[[], object], timeout: float) -> bool:
        """Wait until `condition()` is true, at most `timeout` seconds; whether it came true."""
        deadline = time.monotonic() + timeout
        look = 0.0005
        while not condition():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            with self._changed:
                self._changed.wait(min(look, left))
            look = min(2 * look, self.LONGEST_LOOK)
        return True


class Gate:
    """Parks whoever waits at it until it is opened. A gate that was opened stays open."""

    def __init__(self, name: str, changes: Changes) -> None:
        self.name = name
        self.arrivals = 0
        self._changes = changes
        self._open = threading.Event()

    def wait(self) -> None:
        self.arrive()
        self._open.wait()

    def arrive(self) -> None:
        """Note that a callback stands here."""
        self.arrivals += 1
        self._changes.notify()

    def open(self) -> None:
        self._open.set()


class Task(Generic[T]):
    """An action on a thread of its own. Whatever it raises is raised again by `outcome`."""

    def __init__(self, action: Callable[[], T], name: str = "helper") -> None:
        self._action = action
        self._error: BaseException | None = None
        self._value: T | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        __tracebackhide__ = True
        try:
            self._value = self._action()
        except BaseException as error:  # SystemExit from an implementation must not pass for an end
            self._error = error

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def outcome(self, timeout: float, what: str) -> T:
        """What the action returned; blocks for at most `timeout` seconds, then raises Hang."""
        __tracebackhide__ = True
        self._thread.join(timeout)
        if self.running:
            raise Hang(f"{what} did not come back within {timeout:.3g} s; it stands {self.position()}")
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value]

    def position(self, rather: Callable[[str], bool] = lambda filename: False) -> str:
        """Where the thread stands: the innermost place in a file that is looked for `rather`, if there is one.

        Else the innermost that is not itself a wait of threading or of this module.
        """
        frame = frames().get(self._thread.ident or 0)
        stack = traceback.extract_stack(frame)
        places = [p for p in reversed(stack) if p.filename not in (threading.__file__, __file__)] or stack[-1:]
        place = next((p for p in places if rather(p.filename)), places[0])
        return f"in {place.name} ({place.filename}:{place.lineno}: {place.line})"


class Helper:
    """A thread that calls one action after the other: cheaper than a Task for each, and for one caller only."""

    def __init__(self, name: str = "helper") -> None:
        self._actions: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self._ends: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        self._thread = Task(self._serve, name)

    def outcome(self, action: Callable[[], T], timeout: float, what: str) -> T:
        """What the action returns or raises; blocks for at most `timeout` seconds, then raises Hang.

        After a Hang the helper is of no more use: its thread stands where the action does.
        """
        self._actions.put(action)
        try:
            value, error = self._ends.get(timeout=timeout)
        except Empty:
            self._actions.put(None)
            position = self._thread.position()
            raise Hang(f"{what} did not come back within {timeout:.3g} s; it stands {position}") from None
        if error is not None:
            raise error
        return value  # type: ignore[no-any-return]

    def stop(self) -> None:
        """Let the thread end. Idempotent; never blocks."""
        self._actions.put(None)

    def _serve(self) -> None:
        while (action := self._actions.get()) is not None:
            try:
                end = (action(), None)
            except BaseException as error:  # as in Task
                self._ends.put((None, error))
                del error
            else:
                self._ends.put(end)


def together(actions: list[Callable[[], Any]], timeout: float, what: str) -> list[Any]:
    """Run the actions on threads of their own from one start line; their results in order."""
    line = threading.Barrier(len(actions))

    def from_the_line(action: Callable[[], Any]) -> Any:
        line.wait(timeout)
        return action()

    tasks = [Task(lambda action=action: from_the_line(action)) for action in actions]  # type: ignore[misc]
    return [task.outcome(timeout, what) for task in tasks]
