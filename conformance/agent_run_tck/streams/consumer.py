"""What a consumer shows of a stream: the part of tla/EventStream.tla that knows nothing but the records.

Everything here is a pure function of immutable values: nothing blocks, any thread may call anything.
"""

from __future__ import annotations

from typing import Any

from attrs import evolve, frozen

Text = tuple[Any, ...]
"""A text as its pieces: numbers in the model, strings in a stream."""
Pairs = tuple[tuple[Any, Any], ...]
"""A function as sorted pairs; what is not in it is in its first state."""

TERMINALS = ("run-completed", "run-failed", "run-cancelled")
CALL_KINDS = frozenset({"tool-call", "tool-started", "tool-progress", "tool-result", "tool-abandoned"})
ENDS_SCOPE = frozenset({"attempt-started", "attempt-failed", "turn-discarded"})


@frozen
class Record:
    """What a consumer needs of a record: the id of a call, and the flag `is-error` or `dispatched`."""

    kind: str
    text: Text = ()
    id: Any = None
    flag: bool = False


@frozen(cache_hash=True)
class View:
    """What a consumer shows."""

    conversation: tuple[Text, ...] = ()
    streaming: Text = ()
    calls: Pairs = ()
    ended: str = "no"


NOTHING = View()


def put(pairs: Pairs, key: Any, value: Any) -> Pairs:
    """The function with another value for the key."""
    return tuple(sorted({**dict(pairs), key: value}.items()))


def _call_shown(record: Record) -> str:
    if record.kind == "tool-call":
        return "proposed"
    if record.kind == "tool-result":
        return "failed" if record.flag else "answered"
    if record.kind == "tool-abandoned":
        return "unknown" if record.flag else "not-run"
    return "running"


def show(view: View, record: Record) -> View:
    """What a view becomes at a record."""
    if record.kind == "token":
        return evolve(view, streaming=view.streaming + record.text)
    if record.kind in ENDS_SCOPE:
        return evolve(view, streaming=())
    if record.kind == "assistant-message":
        return evolve(view, streaming=(), conversation=(*view.conversation, record.text))
    if record.kind in CALL_KINDS:
        return evolve(view, calls=put(view.calls, record.id, _call_shown(record)))
    return evolve(view, ended=record.kind) if record.kind in TERMINALS else view
