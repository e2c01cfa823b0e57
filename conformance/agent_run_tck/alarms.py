"""The runtime's hooks for failures that nobody handled, watched for a while."""

import logging
import sys
import threading
import warnings
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import Any

# Advice to developers is no alarm about a failure.
ADVICE = (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ImportWarning)

Note = Callable[[str], object]


class Alarm(str):
    """What reached a hook, as text, and the exception that it was about, if it was one."""

    error: BaseException | None = None


Raise = Callable[[str, BaseException | None], None]


@contextmanager
def alarms(note: Note, warn: bool = True) -> Generator[list[Alarm]]:
    """What reaches the hooks inside the block; each is noted as it comes.

    Watches exceptions that end a thread, that a finaliser or callback cannot raise, that asyncio found unhandled, and
    with `warn` warnings. The hooks are the whole process's: what other threads do inside the block is seen as well.
    """
    seen: list[Alarm] = []

    def alarm(text: str, error: BaseException | None = None) -> None:
        seen.append(Alarm(text))
        seen[-1].error = error
        note(f"alarm: {text}")

    def unraisable(args: Any) -> None:
        alarm(f"unraisable: {args.exc_value!r}", args.exc_value)

    def died(args: Any) -> None:
        if args.exc_type is not SystemExit:  # a proper way for a thread to end; the hook itself has to ignore it
            alarm(f"a thread died: {args.exc_value!r}", args.exc_value)

    with ExitStack() as stack:
        stack.enter_context(_replaced(threading, "excepthook", died))
        stack.enter_context(_replaced(sys, "unraisablehook", unraisable))
        stack.enter_context(_asyncio_errors(alarm))
        if warn:
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("always")
            stack.enter_context(_replaced(warnings, "showwarning", _show(alarm)))
        yield seen


def _show(alarm: Raise) -> Callable[..., None]:
    def show(message: Warning | str, category: type[Warning], *where: object) -> None:
        if not issubclass(category, ADVICE):
            alarm(f"{category.__name__}: {message}", None)

    return show


@contextmanager
def _replaced(owner: Any, name: str, hook: Callable[..., None]) -> Generator[None]:
    before = getattr(owner, name)
    setattr(owner, name, hook)
    try:
        yield
    finally:
        setattr(owner, name, before)


@contextmanager
def _asyncio_errors(alarm: Raise) -> Generator[None]:
    """Loops report what nobody handled to this logger, whoever made them."""
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: alarm(  # type: ignore[method-assign]
        f"asyncio: {record.getMessage()}", record.exc_info[1] if record.exc_info else None
    )
    logger = logging.getLogger("asyncio")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
