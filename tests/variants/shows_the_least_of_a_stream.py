"""Right: a consumer that keeps the records and looks through them when it is asked, and shows no children."""

from collections.abc import Mapping, Sequence
from typing import Any

from agent_run import Run, events
from agent_run.render import text_of

__all__ = ["Renderer", "Run", "events"]

Record = Mapping[str, Any]
ENDS_SCOPE = ("attempt-started", "attempt-failed", "assistant-message", "turn-discarded")


class Renderer:
    def __init__(self) -> None:
        self._records: list[Record] = []

    def take(self, record: Record) -> None:
        self._records.append(record)

    def view(self) -> dict[str, Any]:
        messages = [record["message"] for record in self._of("assistant-message")]
        latest = max((at for at, record in enumerate(self._records) if record["kind"] in ENDS_SCOPE), default=-1)
        ends = [record["kind"] for record in self._of(*events.TERMINAL_KINDS)]
        return {
            "conversation": tuple(map(text_of, messages)),
            "streaming": "".join(record["text"] for record in self._records[latest + 1 :] if record["kind"] == "token"),
            "calls": {record["id"]: state(record) for record in self._records if record["kind"].startswith("tool-")},
            "ended": ends[0] if ends else None,
            "of-its-own": len(self._records),
        }

    def _of(self, *kinds: str) -> Sequence[Record]:
        return [record for record in self._records if record["kind"] in kinds]


def state(record: Record) -> str:
    kind = record["kind"]
    if kind == "tool-abandoned":
        return "unknown" if record["dispatched"] else "not-run"
    if kind == "tool-result":
        return "failed" if record["is-error"] else "answered"
    return "proposed" if kind == "tool-call" else "running"
