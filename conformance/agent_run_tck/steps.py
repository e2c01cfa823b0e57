"""What a callback does, as data: the short scripts that subscribers, hooks and continuations follow.

Data and not code, so that the same check can be sent to an implementation in another process.
"""

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen


@frozen
class Operation:
    """An operation of the run, or of the run called `on`. What it replied is noted in the callback's `replies`."""

    name: str
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(factory=dict)
    on: str | None = None


@frozen
class Throw:
    """Raise an ordinary exception; with `base`, one that `except Exception` does not catch (decision 12)."""

    base: bool = False


@frozen
class Wait:
    """Park at the named gate until it is opened."""

    gate: str


@frozen
class InThread:
    """Follow the steps on another thread and join it: shows a lock that is held, also one that is re-entrant."""

    steps: tuple["Step", ...]


Step = Operation | Throw | Wait | InThread


def emit(kind: str = "log", on: str | None = None) -> Operation:
    return Operation("emit", (kind,), on=on)


def finish(kind: str = "run-completed", on: str | None = None, **outcome: Any) -> Operation:
    return Operation("finish", (kind,), outcome, on=on)


def cancel(on: str | None = None) -> Operation:
    return Operation("cancel", on=on)


def work_begin(on: str | None = None) -> Operation:
    return Operation("work_begin", on=on)


def work_done(on: str | None = None) -> Operation:
    return Operation("work_done", on=on)


def tap(on: str | None = None) -> Operation:
    return Operation("tap", on=on)


def close(subscriber: str, on: str | None = None) -> Operation:
    """Close the tap of the subscriber with this name."""
    return Operation("close", (subscriber,), on=on)


def then(promise: str, on: str | None = None) -> Operation:
    """Register a continuation without steps on `result`, `cancellation` or `drained`."""
    return Operation("then", (promise,), on=on)


def value(promise: str, on: str | None = None) -> Operation:
    """Read the value of `result`, `cancellation` or `drained`; the reply is None while that is planned."""
    return Operation("value", (promise,), on=on)


def observe(on: str | None = None) -> Operation:
    """Ask for everything that can be seen of the run; the reply is an `Observation`."""
    return Operation("observe", on=on)


def throw(base: bool = False) -> Throw:
    return Throw(base)


def wait(gate: str) -> Wait:
    return Wait(gate)


def in_thread(*steps: Step) -> InThread:
    return InThread(steps)


EVERY_OPERATION = (
    observe(),
    emit(),
    work_begin(),
    work_done(),
    tap(),
    then("result"),
    then("cancellation"),
    then("drained"),
    cancel(),
)
"""All that can be called without ending the run."""
