"""A consumer of a stream: what a terminal or a web page shows of a run, as plain data.

Live or from a stored transcript: a renderer is handed records, the plain forms of published events.
"""

from collections.abc import Callable, Mapping
from typing import Any

from agent_run.events import TERMINAL_KINDS

Record = Mapping[str, Any]


class Renderer:
    """Shows one stream. `take` its records in the order of seq, and read `view` after any of them.

    The records have to keep the rules of profile `stream`; they are read and not changed, and unknown kinds change
    nothing. Not for several threads at once, so a subscriber may call it as it is. Blocks on nothing. Serves
    VIEW-1, VIEW-2, VIEW-3, VIEW-4, VIEW-5, VIEW-6, VIEW-7.
    """

    def __init__(self) -> None:
        self._conversation: list[str] = []
        self._streaming: list[str] = []
        self._calls: dict[str, str] = {}
        self._ended: str | None = None
        self._children: dict[str, Renderer] = {}
        self._run_id: str | None = None

    def take(self, record: Record) -> None:
        """Show one more record. KeyError: the record lacks what its kind must have."""
        self._run_id = record["run-id"]
        kind = record["kind"]
        if kind in _TAKES:
            _TAKES[kind](self, record)
        elif kind in TERMINAL_KINDS:
            self._ended = kind

    def view(self) -> dict[str, Any]:
        """Return what is shown now, as a copy of its own: conversation, streaming, calls, ended and children."""
        return {
            "conversation": list(self._conversation),
            "streaming": "".join(self._streaming),
            "calls": dict(self._calls),
            "ended": self._ended,
            "children": {agent_id: child.view() for agent_id, child in self._children.items()},
        }

    def _end_scope(self, record: Record) -> None:
        self._streaming.clear()

    def _token(self, record: Record) -> None:
        self._streaming.append(record["text"])

    def _assistant_message(self, record: Record) -> None:
        # What was streamed is a preview: the message alone decides what was said.
        self._streaming.clear()
        self._conversation.append(text_of(record["message"]))

    def _tool_call(self, record: Record) -> None:
        self._calls[record["id"]] = "proposed"

    def _tool_running(self, record: Record) -> None:
        self._calls[record["id"]] = "running"

    def _tool_result(self, record: Record) -> None:
        self._calls[record["id"]] = "failed" if record["is-error"] else "answered"

    def _tool_abandoned(self, record: Record) -> None:
        # Handed over and never answered: it may have happened, so nobody may call it failed.
        self._calls[record["id"]] = "unknown" if record["dispatched"] else "not-run"

    def _subagent(self, record: Record) -> None:
        agent_id, inner = record["agent-id"], record["inner"]
        child = self._children.get(agent_id)
        if child is None or child._run_id != inner["run-id"]:  # restarted: it begins afresh
            child = self._children[agent_id] = Renderer()
        child.take(inner)


_TAKES: Mapping[str, Callable[[Renderer, Record], None]] = {
    "attempt-started": Renderer._end_scope,
    "attempt-failed": Renderer._end_scope,
    "turn-discarded": Renderer._end_scope,
    "token": Renderer._token,
    "assistant-message": Renderer._assistant_message,
    "tool-call": Renderer._tool_call,
    "tool-started": Renderer._tool_running,
    "tool-progress": Renderer._tool_running,
    "tool-result": Renderer._tool_result,
    "tool-abandoned": Renderer._tool_abandoned,
    "subagent": Renderer._subagent,
}


def text_of(message: Record) -> str:
    """Return the text of a message: its content, or that of its parts of type text; empty where it has none."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    if not all(isinstance(part, dict) for part in parts):
        return ""
    texts = [part.get("text") for part in parts if part.get("type") == "text"]
    return "".join(texts) if all(isinstance(text, str) for text in texts) else ""
