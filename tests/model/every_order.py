"""Judges a history by trying everything at every moment, and makes histories by doing anything at random.

Nothing is known in advance, nothing is put off: slow, and hardly more than the model itself. For small histories.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

from agent_run_tck.model.contract import State, initial_states, owed, successors
from attrs import evolve, field, frozen

Record = dict[str, Any]
TERMINALS = {f"run-{outcome}": outcome for outcome in ("completed", "failed", "cancelled")}
LOOKS = {
    "is_done": lambda state: state.closed,
    "is_cancelled": lambda state: state.cancelled,
    "drained": lambda state: "kept" if state.drained else "planned",
}
Replies = tuple[tuple[str, Any], ...]


def answers(call: Record, state: State, number: int) -> Replies:
    """The steps that a call may take effect as, with the reply of each."""
    wrong = (call.get("kind") in TERMINALS) is (call["call"] == "emit")
    match call["call"]:
        case "emit" if wrong:
            return (("EmitTerminalRefused", "refused"), ("EmitTerminalFalse", False))
        case "finish" if wrong:
            return (("FinishNonTerminalRefused", "refused"), ("FinishNonTerminalFalse", False))
        case "emit":
            return (("EmitTrue", True), ("EmitFalse", False))
        case "finish":
            outcome = TERMINALS[call["kind"]].title()
            return ((f"Finish{outcome}True", True), (f"Finish{outcome}False", False))
        case "work_begin":
            return (("WorkBeginTrue", True), ("WorkBeginFalse", False))
        case "work_done":
            return (("WorkDonePaired", None), ("WorkDoneStray", None))
        case "cancel":
            return (("CancelAccepted", None), ("CancelIgnored", None))
        case "tap":
            return ((f"Tap{len(state.tap) + 1}", None),)
    return ((f"CloseTap{number}", None),) if number else ()


@frozen(kw_only=True)
class Moment:
    """Where a run may be: the state of the model, and what it has done that is still to be recorded."""

    state: State
    calls: frozenset[int] = frozenset()
    replies: tuple[tuple[int, Any], ...] = ()
    seqs: tuple[int, ...] = ()
    winner: int = 0
    placed: tuple[int, ...] = ()
    flying: tuple[tuple[int, Any], ...] = ()
    told: frozenset[str] = frozenset()

    def number(self, tap: int) -> int:
        return self.placed.index(tap) + 1 if tap in self.placed else 0


@frozen
class EveryOrder:
    """The rules for one history: its header, and its calls by their ids."""

    header: Mapping[str, Any]
    calls: dict[int, Record] = field(factory=dict)

    def start(self) -> Moment:
        hook = "idle" if self.header["hook"] else "unset"
        (state,) = (state for state in initial_states() if state.hook == hook)
        return Moment(state=state)

    def moves(self, moment: Moment) -> Iterator[Moment]:
        """All that may happen between two records."""
        replied = dict(moment.replies)
        for call in moment.calls - replied.keys():
            yield from self._effects(moment, call)
        for label in ("KeepCancellation", "KeepDrained"):
            yield from (evolve(moment, state=after) for after in successors(moment.state, label))
        for tap in moment.placed:
            if tap not in dict(moment.flying):
                yield from self._callbacks(moment, tap)

    def _effects(self, moment: Moment, id: int) -> Iterator[Moment]:
        call = self.calls[id]
        if call["call"] in LOOKS:
            yield evolve(moment, replies=(*moment.replies, (id, LOOKS[call["call"]](moment.state))))
            return
        for label, reply in answers(call, moment.state, moment.number(call.get("tap", 0))):
            for after in successors(moment.state, label):
                new = len(after.log) > len(moment.state.log)
                yield evolve(
                    moment,
                    state=after,
                    replies=tuple(sorted((*moment.replies, (id, reply)), key=lambda one: one[0])),
                    seqs=(*moment.seqs, id) if new else moment.seqs,
                    winner=id if label == "CancelAccepted" else moment.winner,
                    placed=(*moment.placed, call["tap"]) if label.startswith("Tap") else moment.placed,
                )

    def _callbacks(self, moment: Moment, tap: int) -> Iterator[Moment]:
        number = moment.number(tap)
        at = moment.state.tap[number - 1].at
        for label, what in ((f"DeliverAndPark{number}", at), (f"Done{number}", "done")):
            for after in successors(moment.state, label):
                yield evolve(moment, state=after, flying=(*moment.flying, (tap, what)))

    # --- records ------------------------------------------------------------------------------------------------

    def read(self, moment: Moment, record: Record) -> Iterator[Moment]:
        """Where the run is after the record, if it can come at this moment."""
        if "call" in record:
            self.calls[record["id"]] = record
            yield evolve(moment, calls=moment.calls | {record["id"]})
        elif "return" in record:
            yield from self._returned(moment, record["return"], record["reply"])
        elif "hook" in record:
            right = not self.header["threads"] or self.calls.get(moment.winner, {}).get("thread") == record["thread"]
            label = "HookStart" if record["hook"] == "called" else "HookReturn"
            yield from (evolve(moment, state=after) for after in successors(moment.state, label) if right)
        elif "kept" in record:
            yield from self._kept(moment, record["kept"], record["value"])
        elif "end" in record:
            if not record["settled"] or not self._owes(moment):
                yield moment
        else:
            yield from self._called_back(moment, record)

    def _returned(self, moment: Moment, id: int, reply: Any) -> Iterator[Moment]:
        found = dict(moment.replies).get(id, "nothing yet")
        waits = id == moment.winner and (not moment.state.cancelled or moment.state.hook not in ("unset", "returned"))
        if type(found) is type(reply) and found == reply and not waits:
            replies = tuple(one for one in moment.replies if one[0] != id)
            yield evolve(moment, calls=moment.calls - {id}, replies=replies)

    def _kept(self, moment: Moment, name: str, value: Any) -> Iterator[Moment]:
        state = moment.state
        values = {
            "result": state.result if state.closed else "?",
            "cancellation": state.cancelled,
            "drained": state.drained,
        }
        if name not in moment.told and values[name] == value and value is not False:
            yield evolve(moment, told=moment.told | {name})

    def _owes(self, moment: Moment) -> bool:
        state = moment.state
        kept = {"result": state.closed, "cancellation": state.cancelled, "drained": state.drained}
        return bool({name for name in kept if kept[name]} - moment.told or moment.flying or any(owed(state)))

    def _called_back(self, moment: Moment, record: Record) -> Iterator[Moment]:
        tap, flying = record["tap"], dict(moment.flying)
        if "let_go" in record:
            number = moment.number(tap)
            if number and tap not in flying and moment.state.tap[number - 1].at == record["let_go"] + 1:
                yield from (evolve(moment, state=after) for after in successors(moment.state, f"Unpark{number}"))
        elif "quit" not in record and tap in flying:
            seq = flying[tap]
            right = seq == "done" if "done" in record else seq == record["handed"] and self._is_of(moment, record)
            if right:
                yield evolve(moment, flying=tuple(one for one in moment.flying if one[0] != tap))

    def _is_of(self, moment: Moment, record: Record) -> bool:
        return moment.seqs[record["handed"]] == record["of"]


def everywhere(rules: EveryOrder, moments: set[Moment]) -> set[Moment]:
    """Wherever the run may be before the next record."""
    found: set[Moment] = set()
    todo = list(moments)
    while todo:
        moment = todo.pop()
        if moment not in found:
            found.add(moment)
            todo += rules.moves(moment)
    return found


def first_unexplained(header: Mapping[str, Any], records: list[Record]) -> int | None:
    """The first record that no order of the calls explains together with all before it, whatever comes later."""
    rules = EveryOrder(header)
    moments = {rules.start()}
    for at, record in enumerate(records):
        moments = {after for moment in everywhere(rules, moments) for after in rules.read(moment, record)}
        if not moments:
            return at
    return None


# --- histories at random ------------------------------------------------------------------------------------------


OPERATIONS = ("emit", "emit", "finish", "cancel", "work_begin", "work_done", "tap", "close", *LOOKS)


def any_history(seed: int, calls: int = 6, threads: int = 3) -> tuple[Record, list[Record]]:
    """A history that the contract allows, with callbacks that lag behind as far as they may."""
    rng = random.Random(seed)
    header: Record = {"trace": 1, "contract": "1.0", "implementation": "any", "hook": rng.random() < 0.5}
    header["threads"] = True
    rules = EveryOrder(header)
    moment, records = rules.start(), list[Record]()
    in_flight: dict[str, int] = {}
    for _ in range(30 * calls):
        record = _any_record(rng, moment, in_flight, f"thread {rng.randint(1, threads)}", calls, rules)
        moment = rng.choice([moment, *rules.moves(moment)])
        if record is not None and (after := list(rules.read(moment, record))):
            moment = after[0]
            records.append({"n": len(records) + 1, **record})
            if "return" in record:
                del in_flight[record["thread"]]
            elif "call" in record:
                in_flight[record["thread"]] = record["id"]
    settled = not rules._owes(moment) and not in_flight
    return header, [*records, {"n": len(records) + 1, "end": True, "settled": settled}]


def _any_record(
    rng: random.Random, moment: Moment, in_flight: dict[str, int], thread: str, calls: int, rules: EveryOrder
) -> Record | None:
    """Something that might be recorded now."""
    here: Record = {"thread": thread}
    choices: list[Record] = [{**here, "tap": tap, **_flown(moment, what)} for tap, what in moment.flying]
    for number, tap in enumerate(moment.placed):
        choices.append({**here, "tap": tap, "let_go": moment.state.tap[number].at - 1})
    if moment.winner in in_flight.values():
        hook_thread = rules.calls[moment.winner]["thread"]
        choices += [{"thread": hook_thread, "hook": step} for step in ("called", "returned")]
    choices += [{**here, "kept": "result", "value": moment.state.result}]
    choices += [{**here, "kept": name, "value": True} for name in ("cancellation", "drained")]
    if thread in in_flight:
        replies = dict(moment.replies)
        if in_flight[thread] in replies:
            choices += 3 * [{**here, "return": in_flight[thread], "reply": replies[in_flight[thread]]}]
    elif len(rules.calls) < calls:
        choices += 3 * [{**here, **_any_call(rng, len(rules.calls) + 1, rules)}]
    return rng.choice(choices)


def _flown(moment: Moment, what: Any) -> Record:
    return {"done": True} if what == "done" else {"handed": what, "of": moment.seqs[what]}


def _any_call(rng: random.Random, id: int, rules: EveryOrder) -> Record:
    operation = rng.choice(OPERATIONS)
    taps = [call["tap"] for call in rules.calls.values() if call["call"] == "tap"]
    if operation == "close" and not taps:
        operation = "tap"
    extra: Record = {}
    if operation in ("emit", "finish"):
        right = rng.random() < 0.9
        extra["kind"] = "log" if (operation == "emit") is right else rng.choice(list(TERMINALS))
    elif operation == "tap":
        extra["tap"] = len(taps) + 1
    elif operation == "close":
        extra["tap"] = rng.choice(taps)
    return {"call": operation, "id": id, **extra}


# --- histories that are spoilt -----------------------------------------------------------------------------------


def spoilt(records: list[Record], rng: random.Random) -> list[Record]:
    """The same with one to three small changes; the contract may or may not allow it any more."""
    for _ in range(rng.randint(1, 3)):
        changed = rng.choice((_moved, _other_value, _less, _twice))([dict(record) for record in records[:-1]], rng)
        changed = [{**record, "n": n} for n, record in enumerate([*changed, records[-1]], 1)]
        if _is_a_recording(changed):
            records = changed
    return records


def _moved(records: list[Record], rng: random.Random) -> list[Record]:
    at = rng.randrange(len(records))
    to = max(0, min(len(records) - 1, at + rng.choice((-4, -3, -2, -1, 1, 2, 3, 4))))
    records.insert(to, records.pop(at))
    return records


def _other_value(records: list[Record], rng: random.Random) -> list[Record]:
    record = rng.choice(records)
    others = {
        True: False,
        False: True,
        "kept": "planned",
        "planned": "kept",
        "completed": "failed",
        "called": "returned",
    }
    for name in ("reply", "value", "hook"):
        if record.get(name) in others:
            record[name] = others[record[name]]
    if "handed" in record:
        record[rng.choice(("handed", "of"))] += rng.choice((-1, 1))
    return records


def _less(records: list[Record], rng: random.Random) -> list[Record]:
    del records[rng.randrange(len(records))]
    return records


def _twice(records: list[Record], rng: random.Random) -> list[Record]:
    at = rng.randrange(len(records))
    records.insert(min(len(records), at + rng.randint(1, 3)), dict(records[at]))
    return records


def _is_a_recording(records: list[Record]) -> bool:
    called: dict[int, str] = {}
    taps: set[int] = set()
    in_flight: set[int] = set()
    for record in records:
        if "call" in record:
            if record["id"] in called:
                return False
            called[record["id"]] = record["call"]
            in_flight.add(record["id"])
            taps |= {record["tap"]} if record["call"] == "tap" else set()
        elif "return" in record:
            if record["return"] not in in_flight:
                return False
            in_flight.remove(record["return"])
        if record.get("tap", 0) not in {0, *taps}:
            return False
        if "handed" in record and (record["handed"] < 0 or called.get(record["of"]) not in ("emit", "finish")):
            return False
    return not (in_flight and records[-1]["settled"])
