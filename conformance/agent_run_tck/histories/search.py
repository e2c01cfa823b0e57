"""Is there an order of the calls, respecting real time, that the contract allows?

The search of Wing and Gong, made lazy as Lowe has it: the records are read in order, and a call takes effect, or the
run does what it owes, only when the next record cannot be read without it. All ways to explain what was read so far are
kept, once each; there is hardly ever more than one, since an event has the seq that it was handed over with.
"""

from collections.abc import Callable, Iterable, Iterator

from attrs import field, frozen

from agent_run_tck.histories.history import LOOKS, Call, History
from agent_run_tck.histories.way import Moves, Way
from agent_run_tck.model.contract import initial_states, owed
from agent_run_tck.recording import PROMISES, Record

Reading = Callable[[Way], Iterable[Way]]
EVERYTHING = float("inf")
ANSWERS = {
    ("emit", True, "refused"): "EmitTerminalRefused",
    ("emit", True, False): "EmitTerminalFalse",
    ("emit", False, False): "EmitFalse",
    ("finish", False, "refused"): "FinishNonTerminalRefused",
    ("finish", False, False): "FinishNonTerminalFalse",
    ("work_begin", False, False): "WorkBeginFalse",
    ("cancel", False, None): "CancelIgnored",
    ("close", False, None): "CloseTap",
}
"""What a call that has not taken effect before does when it returns: by operation, terminal event and reply."""


@frozen(kw_only=True)
class Demand:
    """What a record asks of the run before it can be read, and how it is read then."""

    read: Reading
    call: Call | None = None
    """Has returned, so it must have taken effect."""
    length: float = 0
    """So many events must be accepted."""
    closed: bool = False
    cancelled: bool = False
    drained: bool = False
    tap: int = 0
    """Must have started; what is waited for by its number in the recording."""
    passes: float = -1
    """Some tap is about to be past this seq: what has to start at it or below does so before."""
    flies: int = 0
    """The tap whose callback may have begun without being recorded."""


@frozen
class Verdict:
    """`at`: the first record that cannot be read, None when the contract allows the whole; `ways` explain all before
    it."""

    history: History
    at: int | None
    ways: tuple[Way, ...] = field(repr=False)

    @property
    def allowed(self) -> bool:
        return self.at is None


def check(history: History) -> Verdict:
    """Judge a history. A pure function: nothing blocks, any thread may call it."""
    search = Search(history)
    for at in range(len(history.records)):
        ways = search.read(at)
        if not ways:
            return Verdict(history, at, tuple(search.ways))
        search.ways = ways
    return Verdict(history, None, tuple(search.ways))


class Search:
    """Reads one history, from its first record to its last."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._told: set[str] = set()
        self._moves = Moves(history)
        hook = "idle" if history.header["hook"] else "unset"
        self.ways = [Way(state) for state in initial_states() if state.hook == hook]

    def read(self, at: int) -> list[Way]:
        """The ways that explain one more record."""
        record, kind = self._history.records[at], self._history.kinds[at]
        if kind == "call":
            call = self._history.calls[record["id"]]
            self._moves.pending[call.id] = call
            return [self._begun(way, call) for way in self.ways]
        demand: Demand = getattr(self, f"_{kind}")(record, at)
        found = [after for way in self.ways for after in self._explained(way, demand, at)]
        if kind == "return":
            del self._moves.pending[record["return"]]
        return found if len(found) < 2 else list({way.key: way for way in found}.values())

    def _begun(self, way: Way, call: Call) -> Way:
        """A look that shows nothing yet is taken at once, for later there may be something to see."""
        if call.operation in LOOKS and not way.shows(call.operation) and call.reply in (False, "planned"):
            return way._replace(taken=way.taken | {call.id})
        return way

    # --- what a record asks -------------------------------------------------------------------------------------

    def _return(self, record: Record, at: int) -> Demand:
        call = self._history.calls[record["return"]]
        match call.operation:
            case "tap":
                first, last = self._history.first.get(call.tap), call.tap in self._history.owed_nothing
                return Demand(
                    read=lambda way: _returned(way, call),
                    length=EVERYTHING if last else first or 0,
                    closed=last,
                    tap=call.tap,
                    passes=EVERYTHING if last else -1 if first is None else first,
                )
            case "close":
                return self._close(call, at)
        shows = call.operation in LOOKS and call.reply in (True, "kept")
        says_closed = call.reply is False and call.operation in ("emit", "finish", "work_begin")
        return Demand(
            read=lambda way: _returned(way, call),
            call=call,
            closed=says_closed or call.wins or (shows and LOOKS[call.operation] != "cancelled"),
            cancelled=shows and LOOKS[call.operation] == "cancelled",
            drained=shows and LOOKS[call.operation] == "drained",
        )

    def _close(self, call: Call, at: int) -> Demand:
        """A callback in progress, which alone may still be recorded, has begun before the close. While the tap waits
        for its done another may get the terminal, and after the close no more."""
        place = self._history.next_callback(call.tap, at)
        if place is None:
            return Demand(read=lambda way: _returned(way, call), tap=call.tap, passes=EVERYTHING)
        seq = self._history.records[place].get("handed")
        return Demand(
            read=lambda way: _returned(way, call),
            length=0 if seq is None else seq + 1,
            closed=seq is None or self._is_terminal(seq),
            tap=call.tap,
            passes=EVERYTHING,
            flies=call.tap,
        )

    def _handed(self, record: Record, at: int) -> Demand:
        tap, seq = record["tap"], record["handed"]
        known = seq is not None and record["of"] is not None and self._history.owner.get(seq) == record["of"]
        right = known and self._history.calls[record["of"]].seq == seq
        return Demand(
            read=(lambda way: _handed(way, tap, seq)) if right else _never,
            length=seq + 1 if right else 0,
            closed=right and self._is_terminal(seq),
            tap=tap,
            passes=seq if right else -1,
        )

    def _let_go(self, record: Record, at: int) -> Demand:
        return Demand(read=lambda way: _let_go(way, record["tap"], record["let_go"]))

    def _done(self, record: Record, at: int) -> Demand:
        return Demand(read=lambda way: _done(way, record["tap"]), closed=True, tap=record["tap"], passes=EVERYTHING)

    def _quit(self, record: Record, at: int) -> Demand:
        return Demand(read=_never)

    def _hook(self, record: Record, at: int) -> Demand:
        label = "HookStart" if record["hook"] == "called" else "HookReturn"

        def read(way: Way) -> Iterator[Way]:
            """Where there are threads, the hook is on that of the cancel (CANCEL-4)."""
            winner = self._history.calls.get(way.winner)
            if not self._history.header["threads"] or (winner and winner.thread == record["thread"]):
                yield from way.step(label)

        return Demand(read=read, cancelled=True)

    def _kept(self, record: Record, at: int) -> Demand:
        """A continuation is called once, with the value (PROMISE-1)."""
        name, value = record["kept"], record["value"]
        first = name not in self._told
        self._told.add(name)

        def read(way: Way) -> Iterator[Way]:
            right = value == way.state.result if name == "result" else value is True
            if first and right and way.shows(name):
                yield way

        return Demand(
            read=read, closed=name != "cancellation", cancelled=name == "cancellation", drained=name == "drained"
        )

    def _end(self, record: Record, at: int) -> Demand:
        return Demand(read=lambda way: [] if record["settled"] and self.owes(way) else [way])

    def owes(self, way: Way) -> list[str]:
        """What the run has still to do, by the labels of the model; a promise that was not told by its name."""
        told = [name for name in PROMISES if way.shows(name) and name not in self._told]
        return [*(label for label, _ in owed(way.state)), *told]

    def _is_terminal(self, seq: int) -> bool:
        owner = self._history.owner.get(seq)
        return owner is not None and self._history.calls[owner].operation == "finish"

    # --- how it comes to that -----------------------------------------------------------------------------------

    def _explained(self, way: Way, demand: Demand, at: int) -> Iterator[Way]:
        seen = set()
        todo = [way]
        while todo:
            one = todo.pop()
            yield from demand.read(one)
            for after in self._moved(one, demand, at):
                if (key := after.key) not in seen:
                    seen.add(key)
                    todo.append(after)

    def _moved(self, way: Way, demand: Demand, at: int) -> Iterator[Way]:
        """One step on the way to what is asked; whatever else may come can come later just as well."""
        state, moves = way.state, self._moves
        call = None if demand.call is None or demand.call.id in way.taken else demand.call
        operation = call.operation if call else ""
        may_close = demand.closed or (operation == "cancel" and not state.claimed)
        closing = may_close and not state.closed and moves.can_close(way)
        if closing or (not state.closed and (operation == "emit" or len(state.log) < demand.length)):
            yield from moves.accept(way)
        if closing:
            yield from moves.close(way)
        if closing or operation in ("work_begin", "work_done") or (demand.drained and state.sections):
            yield from moves.count(way)
        if closing or (not state.claimed and (demand.cancelled or operation == "cancel")):
            yield from moves.claim(way)
        if demand.cancelled or (demand.call and demand.call.id == way.winner):
            yield from way.step("KeepCancellation")
        if demand.drained:
            yield from way.step("KeepDrained")
        yield from self._with_taps(way, demand, at)

    def _with_taps(self, way: Way, demand: Demand, at: int) -> Iterator[Way]:
        if not demand.tap:
            return
        pending = [call.tap for call in self._moves.pending.values() if call.operation == "tap"]
        if pending and (due := [tap for tap in pending if tap not in way.placed and self._is_due(way, demand, tap)]):
            yield from self._moves.start(way, due)
        if demand.flies:
            yield from self._moves.fly(way, demand.flies, at)
        elif demand.tap not in way.placed and self._is_late(way, demand.tap):
            for tap in way.placed:
                if way.state.tap[way.number(tap) - 1].at == len(way.state.log) - 1:
                    yield from self._moves.fly(way, tap, at)

    def _is_late(self, way: Way, tap: int) -> bool:
        """It can get the terminal only while another tap, which is in the callback for it, waits for its done."""
        state, end = way.state, len(way.state.log)
        late = state.closed and self._history.first.get(tap) == end - 1 and state.published == end
        return late and not any(tap.phase == "live" and tap.at == end for tap in state.tap)

    def _is_due(self, way: Way, demand: Demand, tap: int) -> bool:
        if tap == demand.tap or (not way.placed and demand.tap not in way.placed):
            return True
        return self._history.first.get(tap, EVERYTHING) <= demand.passes and tap in self._history.first


# --- reading a record, once everything that it asks for has come ---------------------------------------------------


def _never(way: Way) -> Iterator[Way]:
    yield from ()


def _returned(way: Way, call: Call) -> Iterator[Way]:
    if call.id in way.taken:
        if call.id != way.winner or (way.state.cancelled and way.state.hook in ("unset", "returned")):
            yield way._replace(taken=way.taken - {call.id})
    elif call.operation in LOOKS:
        if call.reply == (True if call.operation.startswith("is_") else "kept") and way.shows(call.operation):
            yield way
    else:
        yield from _answered(way, call)


def _answered(way: Way, call: Call) -> Iterator[Way]:
    if call.operation == "finish" and call.outcome:
        label = f"Finish{call.outcome.title()}False" if call.reply is False else None
    else:
        label = ANSWERS.get((call.operation, bool(call.outcome), call.reply))
    number = way.number(call.tap)
    if label is not None and (number or not call.tap):
        yield from way.step(f"{label}{number or ''}")


def _handed(way: Way, tap: int, seq: int) -> Iterator[Way]:
    number = way.number(tap)
    if not number:
        return
    at = way.state.tap[number - 1].at
    if tap in way.flying:
        if at == seq + 1 and way.state.tap[number - 1].parked:
            yield way._replace(flying=way.flying - {tap})
    elif at == seq:
        yield from way.step(f"DeliverAndPark{number}")


def _let_go(way: Way, tap: int, seq: int) -> Iterator[Way]:
    number = way.number(tap)
    if number and tap not in way.flying and way.state.tap[number - 1].at - 1 == seq:
        yield from way.step(f"Unpark{number}")


def _done(way: Way, tap: int) -> Iterator[Way]:
    number = way.number(tap)
    if number and tap in way.flying:
        if way.state.tap[number - 1].done:
            yield way._replace(flying=way.flying - {tap})
    elif number:
        yield from way.step(f"Done{number}")
