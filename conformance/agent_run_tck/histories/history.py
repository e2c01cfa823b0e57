"""A recorded run as the search sees it: calls with their beginnings and ends, and what later records tell of them."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define

from agent_run_tck.index import terminal_kinds
from agent_run_tck.recording import Record

KINDS = ("call", "return", "handed", "let_go", "done", "quit", "hook", "kept", "end")
LOOKS = {
    "is_done": "closed",
    "result": "closed",
    "is_cancelled": "cancelled",
    "cancellation": "cancelled",
    "drained": "drained",
}
"""What can be looked at, and the variable of the model that says what it shows."""


def kind_of(record: Mapping[str, Any]) -> str:
    """The kind of a record, which is one of its fields; no other field has the name of a kind."""
    return next(kind for kind in KINDS if kind in record)


@define(eq=False)
class Call:
    """One call: begun and ended at these places of the records; one that has not returned may reply anything yet."""

    id: int
    operation: str
    thread: str
    kind: str
    tap: int
    begins: int
    returns: int | None = None
    reply: Any = None
    seq: int | None = None
    """The seq that the event of this emit or finish was handed over with."""

    @property
    def outcome(self) -> str:
        """The outcome that a finish with this event leads to; empty when the event is not terminal."""
        return self.kind.removeprefix("run-") if self.kind in terminal_kinds() else ""

    def may_reply(self, reply: Any) -> bool:
        return self.returns is None or (self.reply is reply if reply in (True, False, None) else self.reply == reply)

    @property
    def accepts(self) -> bool:
        """An emit that is, or may yet be, told true."""
        return self.operation == "emit" and not self.outcome and self.may_reply(True)

    @property
    def wins(self) -> bool:
        """A finish that is, or may yet be, told true."""
        return self.operation == "finish" and bool(self.outcome) and self.may_reply(True)

    @property
    def needs_open(self) -> bool:
        """It was told true, and so came before the close."""
        return self.operation in ("emit", "work_begin") and self.returns is not None and self.reply is True


class History:
    """The records after the header, indexed. Immutable once made; any thread may read it."""

    def __init__(self, header: Mapping[str, Any], records: Sequence[Record]) -> None:
        self.header = header
        self.records = records
        self.kinds = [kind_of(record) for record in records]
        self.calls: dict[int, Call] = {}
        self.owner: dict[int, int] = {}
        """Which emit or finish has which seq, as first handed over."""
        self.first: dict[int, int] = {}
        """What each tap was handed first."""
        self.callbacks: dict[int, list[int]] = {}
        """Where each tap is handed something, or told done, or lets go."""
        self.hook_thread = ""
        for at, (kind, record) in enumerate(zip(self.kinds, records, strict=True)):
            self._enter(at, kind, record)
        self.owed_nothing = self._owed_nothing()
        """The taps that are handed nothing though they could be until the end, so that nothing came after them."""

    def before(self, end: int) -> "History":
        """The same run up to a record, which is left out: nothing is known of what came later."""
        return History(self.header, self.records[:end])

    def next_callback(self, tap: int, at: int) -> int | None:
        """The next record of a callback of the tap, from `at` on, if it is one that begins."""
        places = self.callbacks.get(tap, [])
        next_one = bisect_left(places, at)
        found = places[next_one] if next_one < len(places) else None
        return found if found is not None and self.kinds[found] in ("handed", "done") else None

    def _enter(self, at: int, kind: str, record: Record) -> None:
        if kind == "call":
            found = Call(
                record["id"], record["call"], record["thread"], record.get("kind", ""), record.get("tap", 0), at
            )
            self.calls[found.id] = found
        elif kind == "return":
            call = self.calls[record["return"]]
            call.returns, call.reply = at, record["reply"]
        elif kind in ("handed", "let_go", "done"):
            self.callbacks.setdefault(record["tap"], []).append(at)
            if kind == "handed":
                self._learn(record)
        elif kind == "hook" and not self.hook_thread and self.header["threads"]:
            self.hook_thread = record["thread"]

    def _owed_nothing(self) -> frozenset[int]:
        begun = [record["tap"] for record in self.records if "handed" in record]
        ended = [record["tap"] for record in self.records if "let_go" in record]
        # While a callback is parked the others may wait for it (decision 5).
        if not self.records or not self.records[-1].get("settled") or len(begun) != len(ended):
            return frozenset()
        closed = {call.tap for call in self.calls.values() if call.operation == "close"}
        made = {call.tap for call in self.calls.values() if call.operation == "tap"}
        return frozenset(made - closed - self.first.keys())

    def _learn(self, record: Record) -> None:
        seq, call = record["handed"], record["of"]
        self.first.setdefault(record["tap"], -1 if seq is None else seq)
        if seq is not None and call in self.calls:
            self.owner.setdefault(seq, call)
            if self.calls[call].seq is None:
                self.calls[call].seq = seq
