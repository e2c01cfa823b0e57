"""Histories written by hand, a record to a line.

"A emit x"       thread A calls emit with an event called x     "A -> true"   its call returns
"1 <- x 0"       tap 1 is handed x as seq 0                     "1 ."         that callback returns
"1 done"         tap 1 is told done                             "rest"        nothing more comes
"hook A"         the hook is called on thread A                 "hook. A"     and returns
"kept result failed"   a continuation of result is called
"""

from __future__ import annotations

from typing import Any

from agent_run_tck.histories.history import History

Record = dict[str, Any]
REPLIES = {"true": True, "false": False, "nothing": None}


def history(*lines: str, hook: bool = False, threads: bool = True) -> History:
    """The history that the lines say; record k is of line k."""
    writer = _Writer()
    records = [{"n": n, **writer.record(*line.split())} for n, line in enumerate(lines, 1)]
    header = {"trace": 1, "contract": "1.0", "implementation": "by hand", "hook": hook, "threads": threads}
    return History(header, records)


class _Writer:
    def __init__(self) -> None:
        self._in_flight: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._last: dict[int, int] = {}
        self._calls = 0

    def record(self, who: str, *rest: str) -> Record:
        if who == "rest":
            return {"end": True, "settled": True}
        if who in ("hook", "hook."):
            return {"thread": rest[0], "hook": "called" if who == "hook" else "returned"}
        if who == "kept":
            return {"thread": "run", "kept": rest[0], "value": rest[1] if rest[1:] else True}
        if who.isdecimal():
            return {"thread": "run", "tap": int(who), **self._callback(int(who), rest)}
        if rest[0] == "->":
            return {"thread": who, "return": self._in_flight.pop(who), "reply": REPLIES.get(rest[1], rest[1])}
        self._calls += 1
        self._in_flight[who] = self._calls
        return {"thread": who, "call": rest[0], "id": self._calls, **self._arguments(rest[0], rest[1:])}

    def _arguments(self, operation: str, rest: tuple[str, ...]) -> Record:
        if operation in ("emit", "finish"):
            self._names[rest[-1]] = self._calls
            return {"kind": f"run-{rest[0]}" if rest[1:] else "log"}
        return {"tap": int(rest[0])} if operation in ("tap", "close") else {}

    def _callback(self, tap: int, rest: tuple[str, ...]) -> Record:
        match rest:
            case ("<-", name, seq):
                self._last[tap] = int(seq)
                return {"handed": int(seq), "of": self._names[name]}
            case ("done",):
                return {"done": True}
        return {"let_go": self._last[tap]}
