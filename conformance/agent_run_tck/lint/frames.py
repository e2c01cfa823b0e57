"""FRAME and GRAM-3: the attempts and turns of one stream, as the tables of `spec/streams.md` have them."""

from collections.abc import Callable, Mapping
from typing import Any

from agent_run_tck.lint.findings import Report, shown

Record = dict[str, Any]

NO_TURN, OPEN, BETWEEN, ANSWERED = "no turn", "an attempt open", "between attempts", "an answered turn"
ROUND_MOVES = frozenset({
    "round-started", "attempt-started", "compaction-started", "compaction-done", "run-parked", "run-resumed",
    "run-failed", "run-cancelled",
})  # fmt: skip


class Frames:
    """Where a stream stands in its rounds, turns and attempts."""

    __slots__ = ("_attempt", "_came", "_highest", "_last", "_state", "_tokens", "_turn", "round")

    def __init__(self) -> None:
        self.round: int | None = None
        """The round of the latest round-started or attempt-started."""
        self._highest: int | None = None
        # The round of the latest attempt-started and its attempt, which is None where it had none.
        self._last: tuple[int | None, int | None] = (None, 0)
        self._state = NO_TURN
        self._turn: int | None = None
        self._attempt: tuple[Any, Any] = (None, None)
        self._tokens: list[str] | None = None
        self._came: set[str] = set()  # which of assistant-message and turn-committed

    def end(self, kind: str, report: Report) -> None:
        """Judge the terminal."""
        if self._state is ANSWERED and not self._came:
            report("FRAME-3", "error", f"{kind} comes while {self._where()}; a turn-discarded has to come first")
        elif self._state is not NO_TURN:
            report("FRAME-6", "error", f"{kind} comes while {self._where()}; {self._missing()} has to come first")

    def _missing(self) -> str:
        """What would end the turn."""
        halves = ("assistant-message", "turn-committed")
        return (
            f"its {' or '.join(half for half in halves if half not in self._came)}"
            if self._came
            else "a turn-discarded"
        )

    # --- rounds and attempts --------------------------------------------------------------------------------------

    def judge_round(self, kind: str, round: int, report: Report) -> None:
        if round < 1:
            report("GRAM-3", "error", f"{kind} has round {round}; rounds are counted from 1")
        elif kind in ROUND_MOVES:
            if self._highest is not None and round < self._highest:
                report("GRAM-3", "error", f"{kind} has round {round} after round {self._highest}; rounds never go back")
            self._highest = round

    def _count_attempt(self, round: int | None, attempt: int, report: Report) -> None:
        before, last = self._last
        expected = (last and last + 1) if round == before else 1
        if expected is not None and attempt != expected:
            text = f"attempt-started {_numbers(round, attempt)}; the next attempt of round {round} is {expected}"
            report("GRAM-3", "error", text)
        self._last = (round, attempt)

    def round_started(self, record: Record, report: Report) -> None:
        self._must_not_begin("round-started", record.get("round"), report)
        self._leave()
        self.round = _integer(record.get("round"), self.round)

    def attempt_started(self, record: Record, report: Report) -> None:
        round, attempt = record.get("round"), record.get("attempt")
        self._must_not_begin("attempt-started", round, report)
        if attempt.__class__ is int:
            self._count_attempt(_integer(round, None), attempt, report)
        else:
            self._last = (_integer(round, None), None)
        self._leave()
        self._state, self._turn, self._attempt = OPEN, _integer(round, None), (round, attempt)
        self.round = _integer(round, self.round)

    def _must_not_begin(self, kind: str, round: Any, report: Report) -> None:
        """What begins needs what was before it to be over."""
        if self._state is OPEN:
            broken = "FRAME-2"
        elif self._state is ANSWERED:
            broken = "FRAME-4" if self._came else "FRAME-3"
        elif self._state is BETWEEN and (kind == "round-started" or round != self._turn):
            broken = "FRAME-4"
        else:
            return
        report(broken, "error", f"{kind} comes while {self._where()}; that has to end first")

    def _leave(self) -> None:
        self._state, self._turn, self._tokens = NO_TURN, None, None
        self._came.clear()

    # --- within a turn --------------------------------------------------------------------------------------------

    def token(self, record: Record, report: Report) -> None:
        if self._state is not OPEN:
            report("FRAME-1", "error", f"a token comes while {self._where()}; it has to come in an open attempt")
            return
        for key, of_attempt in zip(("round", "attempt"), self._attempt, strict=True):
            if key in record and of_attempt.__class__ is int and record[key] != of_attempt:
                report("FRAME-1", "error", f"a token of {key} {shown(record[key])} comes while {self._where()}")
        text = record.get("text")
        if text.__class__ is str:
            if self._tokens is None:
                self._tokens = []
            self._tokens.append(text)

    def attempt_closed(self, record: Record, report: Report) -> None:
        kind, closes = record["kind"], (record.get("round"), record.get("attempt"))
        if self._state is not OPEN:
            report("FRAME-2", "error", f"{kind} {_numbers(*closes)} comes while {self._where()}; none is open")
            return
        numbers = all(number.__class__ is int for number in (*closes, *self._attempt))
        if numbers and closes != self._attempt:
            report("FRAME-2", "error", f"{kind} {_numbers(*closes)} comes while {self._where()}")
        if kind == "attempt-failed":
            self._state, self._tokens = BETWEEN, None
        else:
            self._state = ANSWERED

    def half_committed(self, record: Record, report: Report) -> None:
        kind = record["kind"]
        if self._state is OPEN:
            report("FRAME-2", "error", f"{kind} comes while {self._where()}; an attempt-succeeded has to come first")
            self._state = ANSWERED
        elif self._state is not ANSWERED:
            report("FRAME-4", "error", f"{kind} comes while {self._where()}; it has to come in an answered turn")
            return
        elif kind in self._came:
            report("FRAME-4", "error", f"{kind} comes twice in the turn of round {self._turn}; once is enough")
            return
        else:
            self._judge_turn(kind, record, report)
            if kind == "assistant-message":
                self._judge_text(record.get("message"), report)
        self._came.add(kind)
        if len(self._came) == 2:
            self._leave()

    def _judge_text(self, message: Any, report: Report) -> None:
        committed = text_of(message) if isinstance(message, dict) else None
        if self._tokens is None or committed is None:
            return
        streamed = "".join(self._tokens)
        if streamed != committed:
            report("FRAME-5", "error", _difference(streamed, committed))

    def discarded(self, record: Record, report: Report) -> None:
        if self._state is NO_TURN:
            report("FRAME-4", "error", "turn-discarded comes without a turn; there is nothing to take back")
            return
        if self._state is OPEN and record.get("reason") != "cancelled":
            text = f"turn-discarded comes while {self._where()}; unless it was cancelled, that has to be closed first"
            report("FRAME-2", "error", text)
        elif self._came:
            text = f"turn-discarded comes after the {' and '.join(self._came)} of its turn; a turn ends in one of them"
            report("FRAME-4", "error", text)
        else:
            self._judge_turn("turn-discarded", record, report)
        self._leave()

    def _judge_turn(self, kind: str, record: Record, report: Report) -> None:
        round = record.get("round")
        if round is not None and self._turn is not None and round != self._turn:
            report("FRAME-4", "error", f"{kind} has round {shown(round)}; its turn is of round {self._turn}")

    def _where(self) -> str:
        if self._state is OPEN:
            return f"attempt {_numbers(*self._attempt)} is open"
        if self._state is BETWEEN:
            return f"the turn of round {self._turn} is open, between two attempts"
        if self._state is ANSWERED:
            came = f", with its {' and '.join(self._came)}" if self._came else " and neither committed nor discarded"
            return f"the turn of round {self._turn} is answered{came}"
        return "no turn is open"


FRAME_RULES: Mapping[str, Callable[[Frames, Record, Report], None]] = {
    "token": Frames.token,
    "round-started": Frames.round_started,
    "attempt-started": Frames.attempt_started,
    "attempt-failed": Frames.attempt_closed,
    "attempt-succeeded": Frames.attempt_closed,
    "assistant-message": Frames.half_committed,
    "turn-committed": Frames.half_committed,
    "turn-discarded": Frames.discarded,
}


def text_of(message: Record) -> str | None:
    """The text of a message, as FRAME-5 has it; None where the content is of another form."""
    content = message.get("content")
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        return None
    texts = [part.get("text") for part in content if part.get("type") == "text"]
    return "".join(texts) if all(isinstance(text, str) for text in texts) else None


def _difference(streamed: str, committed: str) -> str:
    pairs = zip(streamed, committed, strict=False)
    at = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(streamed), len(committed)))
    ends = [shown(text[at:]) if text[at:] else "nothing" for text in (streamed, committed)]
    return f"after {at} equal characters the tokens go on with {ends[0]}, the message with {ends[1]}"


def _integer(value: Any, otherwise: int | None) -> int | None:
    return value if value.__class__ is int else otherwise


def _numbers(round: Any, attempt: Any) -> str:
    return ".".join("?" if number is None else shown(number) for number in (round, attempt))
