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


@contextmanager
def alarms(note: Note) -> Generator[list[str]]:
    """What reaches the hooks inside the block, as text; each is noted as it comes.

    Watches exceptions that end a thread, that a finaliser or callback cannot raise, that asyncio found unhandled, and
    warnings. The hooks are the whole process's: what other threads do inside the block is seen as well.
    """
    seen: list[str] = []

    def alarm(text: str) -> None:
        seen.append(text)
        note(f"alarm: {text}")

    with ExitStack() as stack:
        stack.enter_context(
            _replaced(threading, "excepthook", lambda args: alarm(f"a thread died: {args.exc_value!r}"))
        )
        stack.enter_context(_replaced(sys, "unraisablehook", lambda args: alarm(f"unraisable: {args.exc_value!r}")))
        stack.enter_context(_asyncio_errors(alarm))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("always")
        stack.enter_context(_replaced(warnings, "showwarning", _show(alarm)))
        yield seen


def _show(alarm: Callable[[str], None]) -> Callable[..., None]:
    def show(message: Warning | str, category: type[Warning], *where: object) -> None:
        if not issubclass(category, ADVICE):
            alarm(f"{category.__name__}: {message}")

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
def _asyncio_errors(alarm: Callable[[str], None]) -> Generator[None]:
    """Loops report what nobody handled to this logger, whoever made them."""
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: alarm(f"asyncio: {record.getMessage()}")  # type: ignore[method-assign]
    logger = logging.getLogger("asyncio")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
