"""Says of a history that the contract does not allow which record cannot be explained, why, and what would be right."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from agent_run_tck.histories.history import LOOKS, Call, History
from agent_run_tck.histories.search import Search, Verdict, check
from agent_run_tck.histories.way import Way
from agent_run_tck.model.contract import TapState
from agent_run_tck.recording import Record

Why = tuple[str, tuple[str, ...]]
"""Half a sentence, and the requirements that say so."""


@frozen
class Explanation:
    """`at`: the record; all before it can be explained, whatever comes later."""

    at: int
    problem: str
    allowed: tuple[str, ...]
    requirements: tuple[str, ...]

    @property
    def sentence(self) -> str:
        right = f"; the contract allows {' or '.join(self.allowed)}" if self.allowed else ""
        return f"{self.problem}{right} ({', '.join(self.requirements)})"


def explain(verdict: Verdict) -> Explanation:
    """For a verdict that does not allow the history; ValueError for one that does."""
    if verdict.at is None:
        raise ValueError("the contract allows this history, so there is nothing to explain")
    history = verdict.history
    at = first_unexplained(history, verdict.at)
    ways = check(history.before(at)).ways
    before = history.before(at + 1)
    kind, record = history.kinds[at], history.records[at]
    if kind == "return":
        return _of_a_return(before, at, before.calls[record["return"]], ways)
    (problem, ids), allowed = {
        "handed": _of_an_event,
        "let_go": lambda *_: (("a callback returned that had not begun", ("STREAM-11",)), ()),
        "done": _of_done,
        "quit": lambda *_: ((f"tap {record['tap']} was told that its stream ended in an error", ("STREAM-5",)), ()),
        "hook": _of_the_hook,
        "kept": _of_a_promise,
        "end": _of_the_end,
    }[kind](before, record, ways)
    return Explanation(at, problem, allowed, ids)


def first_unexplained(history: History, at: int) -> int:
    """The first record that cannot be explained together with those before it, by what was known up to it; what was
    known later may have given it away at an earlier one, `at`."""

    def wrong(place: int) -> bool:
        return not check(history.before(place + 1)).allowed

    last, low, high = len(history.records) - 1, at, at
    while high < last and not wrong(high):  # it is mostly near, and a long history takes its time
        low, high = high + 1, min(last, 2 * high - at + 1)
    places = range(low, high + 1)
    return places[bisect_left(places, True, key=wrong)]


# --- a reply that is wrong ------------------------------------------------------------------------------------------

CLOSED = "the run was closed by then"
OPEN = "no finish can have been accepted by then"
REPLIES: Mapping[tuple[str, Any], Why] = {
    ("emit", True): (CLOSED, ("EMIT-4", "FINISH-3")),
    ("emit", False): (OPEN, ("EMIT-1", "EMIT-10")),
    ("emit", "refused"): ("such an event is never refused", ("EMIT-1", "EMIT-4")),
    ("finish", True): ("another finish had closed the run by then", ("FINISH-1", "FINISH-4")),
    ("finish", False): ("no other finish can have been accepted by then", ("FINISH-1", "FINISH-5")),
    ("finish", "refused"): ("a terminal is never refused", ("FINISH-1",)),
    ("work_begin", True): (CLOSED, ("WORK-1", "WORK-6")),
    ("work_begin", False): (OPEN, ("WORK-1",)),
    ("is_done", True): (OPEN, ("IDENT-2",)),
    ("is_done", False): (CLOSED, ("IDENT-2", "FINISH-3")),
    ("result", "kept"): (OPEN, ("RESULT-1",)),
    ("result", "planned"): (CLOSED, ("RESULT-1", "FINISH-3")),
    ("is_cancelled", True): ("no cancel can have been accepted by then", ("IDENT-3", "CANCEL-6")),
    ("is_cancelled", False): ("the cancellation was kept when this began", ("IDENT-3", "CANCEL-7")),
    ("cancellation", "kept"): ("no cancel can have been accepted by then", ("CANCEL-1", "CANCEL-6")),
    ("cancellation", "planned"): ("the cancellation was kept when this began", ("CANCEL-1", "CANCEL-7")),
    ("drained", "kept"): ("the run was open by then, or a section was", ("DRAIN-1", "DRAIN-3")),
    ("drained", "planned"): ("drained was kept when this began", ("DRAIN-6",)),
    ("cancel", None): (
        "it is the one that was accepted, and it returns once the cancellation is kept and its hook has returned",
        ("CANCEL-1", "CANCEL-4"),
    ),
}
OTHERS: Mapping[str, Why] = {
    "emit": ("this is no reply of emit", ("EMIT-1",)),
    "finish": ("this is no reply of finish", ("FINISH-1",)),
    "work_begin": ("this is no reply of work_begin", ("WORK-1",)),
    "work_done": ("work_done returns nothing and never throws", ("WORK-4",)),
    "cancel": ("cancel returns nothing and never throws", ("CANCEL-3",)),
    "tap": ("tap never throws", ("STREAM-1",)),
    "close": ("close returns nothing and never throws", ("STREAM-16",)),
    "result": ("a promise is planned or kept", ("RESULT-1",)),
    "cancellation": ("a promise is planned or kept", ("CANCEL-1",)),
    "drained": ("a promise is planned or kept", ("DRAIN-1",)),
    "is_done": ("a status is true or false", ("IDENT-2",)),
    "is_cancelled": ("a status is true or false", ("IDENT-3",)),
}
WRONG_EVENTS: Mapping[str, Why] = {
    "emit": ("emit refuses a terminal with an error, or replies false on a closed run", ("EMIT-3",)),
    "finish": ("finish refuses an event that is not terminal, or replies false on a closed run", ("FINISH-2",)),
}
NOTHING = (None,)
CANDIDATES: Mapping[str, tuple[Any, ...]] = {
    **dict.fromkeys(("emit", "finish", "work_begin"), (True, False, "refused")),
    **dict.fromkeys(("is_done", "is_cancelled"), (True, False)),
    **dict.fromkeys(("result", "cancellation", "drained"), ("planned", "kept")),
}


def words(reply: Any) -> str:
    """A reply as it is written in a table or a sentence."""
    return {True: "true", False: "false", None: "nothing", "refused": "an error"}.get(reply, str(reply))


def called(call: Call) -> str:
    """A call as a person writes it."""
    if call.operation in LOOKS:
        return call.operation
    if call.operation == "tap":
        return f"tap() as tap {call.tap}"
    return f"{call.operation}({f'tap {call.tap}' if call.tap else call.kind})"


def _of_a_return(history: History, at: int, call: Call, ways: Sequence[Way]) -> Explanation:
    wrong_event = call.operation in WRONG_EVENTS and (call.operation == "emit") is bool(call.outcome)
    why, ids = REPLIES.get((call.operation, call.reply), OTHERS[call.operation])
    if wrong_event:
        why, ids = WRONG_EVENTS[call.operation]
    candidates = CANDIDATES.get(call.operation, NOTHING)
    allowed = [words(reply) for reply in candidates if check(_with_reply(history, at, reply)).allowed]
    error = history.records[at].get("error") if call.reply == "refused" else None
    said = f"{words(call.reply)}, {error}" if error else words(call.reply)
    problem = f"{called(call)} on {call.thread} replied {said}, but {why}"
    return Explanation(at, problem, tuple(allowed) or ("no return of it yet",), ids)


def _with_reply(history: History, at: int, reply: Any) -> History:
    return History(history.header, [*history.records[:at], {**history.records[at], "reply": reply}])


# --- something that must not be seen ------------------------------------------------------------------------------


def _taps(ways: Iterable[Way], tap: int) -> list[TapState]:
    return [way.state.tap[way.number(tap) - 1] for way in ways if way.number(tap)]


def _halted(history: History, tap: int, ways: Sequence[Way]) -> Why | None:
    """Why a tap may be handed nothing at all, neither an event nor done."""
    states = _taps(ways, tap)
    if not states or len(states) < len(ways):
        return None
    if all(state.phase == "closed" for state in states):
        return "its close had returned", ("STREAM-16",)
    if all(state.done for state in states):
        return "it had been told done", ("STREAM-4",)
    if all(state.phase == "over" for state in states):
        return "it was made when the stream was over", ("STREAM-3",)
    if all(state.parked for state in states):
        return f"its callback for seq {states[0].at - 1} had not returned", ("STREAM-11",)
    return None


def _of_an_event(history: History, record: Record, ways: Sequence[Way]) -> tuple[Why, tuple[str, ...]]:
    tap, seq = record["tap"], record["handed"]
    (why, ids), allowed = _wrong_event(history, record, ways)
    return (
        f"tap {tap} was handed {'an event without a seq' if seq is None else f'seq {seq}'}, but {why}",
        ids,
    ), allowed


def _wrong_event(history: History, record: Record, ways: Sequence[Way]) -> tuple[Why, tuple[str, ...]]:
    tap, seq, call = record["tap"], record["handed"], history.calls.get(record["of"] or 0)
    nexts = sorted({state.at for state in _taps(ways, tap)})
    allowed = tuple(f"seq {one}" for one in nexts)
    another = tuple(f"another event as {one}" for one in allowed)
    if seq is None:
        return ("every event has one", ("EMIT-2",)), allowed
    if call is None:
        return ("nobody emitted this event", ("EMIT-9",)), another
    if history.owner[seq] != call.id:
        return ("another event has that seq", ("EMIT-2", "EMIT-9")), allowed
    if call.seq != seq:
        return (f"the same event was handed over as seq {call.seq}", ("EMIT-9", "STREAM-7")), another
    if (halted := _halted(history, tap, ways)) is not None:
        return halted, ("nothing",)
    if not nexts and (why := _too_early(seq, ways)) is not None:
        return why
    if nexts and seq not in nexts:
        return _out_of_order(tap, seq, nexts, ways), allowed
    if call.returns is not None and call.reply is not True:
        return (f"its {call.operation} replied {words(call.reply)}", ("EMIT-4", "FINISH-1")), another
    if any(history.calls[history.owner[one]].operation == "finish" for one in range(seq) if one in history.owner):
        return ("the terminal came before it", ("STREAM-6",)), ("nothing but done",)
    if call.operation == "finish":
        return ("an event that was accepted has no place before the terminal", ("FINISH-3", "STREAM-6")), another
    return _against_time(history, seq, call)


def _too_early(seq: int, ways: Sequence[Way]) -> tuple[Why, tuple[str, ...]] | None:
    """Of a tap whose call has not returned: why it cannot start at this seq, if the other taps are in its way."""
    published = min(way.state.published for way in ways)
    if seq < published:
        return PUBLISHED, (f"seq {published} or a later one",)
    return (FROM_THE_BEGINNING, ("seq 0",)) if seq and not any(way.placed for way in ways) else None


PUBLISHED: Why = ("that was published before the tap was made", ("STREAM-2",))
FROM_THE_BEGINNING: Why = ("the first tap gets the run from its beginning", ("STREAM-1",))


def _out_of_order(tap: int, seq: int, nexts: Sequence[int], ways: Sequence[Way]) -> Why:
    fresh = all(not state.seen for state in _taps(ways, tap))
    first = all(way.number(tap) == 1 for way in ways)
    if fresh and not first:
        return PUBLISHED
    if fresh:
        return FROM_THE_BEGINNING
    return ("it had that one already" if seq < min(nexts) else "one was left out"), ("STREAM-7",)


def _against_time(history: History, seq: int, call: Call) -> tuple[Why, tuple[str, ...]]:
    earlier = [other for other in history.calls.values() if other.returns is not None and other.returns < call.begins]
    missing = [other for other in earlier if other.operation == "emit" and other.reply is True and other.seq is None]
    if missing:
        return ("an emit that had returned before this one began has no seq below it", ("EMIT-11",)), ()
    return ("no order of the calls gives this event that seq", ("EMIT-2", "EMIT-11")), ()


def _of_done(history: History, record: Record, ways: Sequence[Way]) -> tuple[Why, tuple[str, ...]]:
    tap = record["tap"]
    halted = _halted(history, tap, ways)
    if halted is not None:
        return (f"tap {tap} was told done, but {halted[0]}", halted[1]), ("nothing",)
    nexts = sorted({state.at for state in _taps(ways, tap)})
    why = "it has not been handed the terminal"
    return (f"tap {tap} was told done, but {why}", ("STREAM-4",)), tuple(f"seq {one}" for one in nexts)


def _of_the_hook(history: History, record: Record, ways: Sequence[Way]) -> tuple[Why, tuple[str, ...]]:
    text = f"the hook {'was called' if record['hook'] == 'called' else 'returned'} on {record['thread']}, but "
    if all(way.state.hook in ("running", "returned") for way in ways) and record["hook"] == "called":
        return (f"{text}it had been called before", ("CANCEL-1", "CANCEL-2")), ()
    if all(way.state.hook == "unset" for way in ways):
        return (f"{text}the run has none", ("CANCEL-8",)), ()
    if all(way.state.closed and not way.state.claimed for way in ways):
        return (f"{text}the run was finished and not cancelled before", ("CANCEL-6", "CANCEL-10")), ()
    return (f"{text}no cancel of that thread can have been accepted", ("CANCEL-1", "CANCEL-4")), ()


NOT_YET: Mapping[str, Why] = {
    "result": (OPEN, ("RESULT-1",)),
    "cancellation": ("no cancel can have been accepted by then", ("CANCEL-1", "CANCEL-6")),
    "drained": ("the run was open by then, or a section was", ("DRAIN-1", "DRAIN-3")),
}
VALUES: Mapping[str, tuple[str, ...]] = {
    "result": ("RESULT-4", "FINISH-4"),
    "cancellation": ("CANCEL-1",),
    "drained": ("DRAIN-2",),
}


def _of_a_promise(history: History, record: Record, ways: Sequence[Way]) -> tuple[Why, tuple[str, ...]]:
    name = record["kept"]
    text = f"a continuation of {name} was called with {words(record['value'])}, but "
    if any(other.get("kept") == name for other in history.records[:-1]):
        return (f"{text}it had been called before", ("PROMISE-1",)), ()
    values = ["completed", "failed", "cancelled"] if name == "result" else [True]
    right = [value for value in values if check(_with_value(history, value)).allowed]
    if right:
        return (f"{text}that is not the value", VALUES[name]), tuple(map(words, right))
    return (text + NOT_YET[name][0], NOT_YET[name][1]), ("no call of it yet",)


def _with_value(history: History, value: Any) -> History:
    return History(history.header, [*history.records[:-1], {**history.records[-1], "value": value}])


# --- something that is missing ------------------------------------------------------------------------------------

OWED: Mapping[str, Why] = {
    "KeepCancellation": ("the cancellation to be kept", ("CANCEL-1", "CANCEL-9")),
    "HookStart": ("the hook to be called", ("CANCEL-1", "CANCEL-10")),
    "KeepDrained": ("drained to be kept", ("DRAIN-2", "DRAIN-8")),
    "Deliver": ("tap {tap} to be handed seq {seq}", ("STREAM-7", "EMIT-1")),
    "Done": ("tap {tap} to be told done", ("STREAM-4",)),
    "result": ("the continuation of result to be called", ("PROMISE-1",)),
    "cancellation": ("the continuation of cancellation to be called", ("PROMISE-1",)),
    "drained": ("the continuation of drained to be called", ("PROMISE-1",)),
}


def _of_the_end(history: History, record: Record, ways: Sequence[Way]) -> tuple[Why, tuple[str, ...]]:
    search = Search(history)
    for at in range(len(history.records) - 1):
        search.read(at)
    way = min(ways, key=lambda one: len(search.owes(one)))
    missing = [_missing(way, label) for label in search.owes(way) if not label.startswith("DeliverAndPark")]
    text = (
        f"everything has returned and nothing comes any more, but {' and '.join(text for text, _ in missing)} is owed"
    )
    return (text, tuple(dict.fromkeys(id for _, ids in missing for id in ids))), ()


def _missing(way: Way, label: str) -> Why:
    name = label.rstrip("0123456789")
    text, ids = OWED[name]
    number = int(label[len(name) :] or 0)
    known = {"tap": way.placed[number - 1], "seq": way.state.tap[number - 1].at} if number else {}
    return text.format(**known), ids
