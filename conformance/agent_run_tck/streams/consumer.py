"""What a consumer shows of a stream: the part of tla/EventStream.tla that knows nothing but the records.

Everything here is a pure function of immutable values: nothing blocks, any thread may call anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import evolve, field, frozen

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


# --- what is shown of records -----------------------------------------------------------------------------


def text_of(message: Mapping[str, Any]) -> str | None:
    """The text of a message, None where its content has none (FRAME-5)."""
    content = message.get("content")
    if isinstance(content, list):
        return _joined(content)
    return "" if content is None else content if isinstance(content, str) else None


def _joined(parts: list[Any]) -> str | None:
    if not all(isinstance(part, dict) for part in parts):
        return None
    texts = [part.get("text") for part in parts if part.get("type") == "text"]
    return "".join(map(str, texts)) if all(isinstance(text, str) for text in texts) else None


def _record_of(event: Mapping[str, Any]) -> Record:
    kind = event["kind"]
    if kind == "token":
        return Record(kind, (event["text"],))
    if kind == "assistant-message":
        return Record(kind, (text_of(event["message"]) or "",))
    flag = event.get("is-error", False) if kind == "tool-result" else event.get("dispatched", False)
    return Record(kind, id=event.get("id"), flag=flag)


@frozen
class Shown:
    """What a consumer shows of a stream so far, and of the latest run of each child."""

    view: View = NOTHING
    run_id: str = ""
    children: Mapping[str, Shown] = field(factory=dict)

    def after(self, event: Mapping[str, Any]) -> Shown:
        """What it shows after one more record."""
        children = dict(self.children)
        if event["kind"] == "subagent":
            child, inner = children.get(event["agent-id"], Shown()), event["inner"]
            going_on = child if child.run_id == inner["run-id"] else Shown()
            children[event["agent-id"]] = going_on.after(inner)
        return Shown(show(self.view, _record_of(event)), event["run-id"], children)

    def plain(self) -> dict[str, Any]:
        """The view as spec/streams.md has it."""
        return {
            "conversation": ["".join(text) for text in self.view.conversation],
            "streaming": "".join(self.view.streaming),
            "calls": dict(self.view.calls),
            "ended": None if self.view.ended == "no" else self.view.ended,
            "children": {agent: child.plain() for agent, child in self.children.items()},
        }


def views(stream: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The view before the first record and after each, in plain form."""
    shown = Shown()
    found = [shown.plain()]
    for event in stream:
        shown = shown.after(event)
        found.append(shown.plain())
    return found
