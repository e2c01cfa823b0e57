"""One way to explain the records that were read so far: a state of the model, and the calls that have taken effect."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from agent_run_tck.histories.history import LOOKS, Call, History
from agent_run_tck.model.contract import State, successors


class Way(NamedTuple):
    """`taken` has the calls that have taken effect and not returned, `winner` the cancel that was accepted, `placed`
    the taps in the order of the model, `flying` those whose next callback has begun and is not recorded yet."""

    state: State
    taken: frozenset[int] = frozenset()
    winner: int = 0
    placed: tuple[int, ...] = ()
    flying: frozenset[int] = frozenset()

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells it from others. The sequences are left out, for their lengths say all that the search needs, and
        the order in which the taps started, for what comes does not depend on it."""
        state = self.state
        taps = ((name, tap.phase, tap.at, tap.parked) for name, tap in zip(self.placed, state.tap, strict=True))
        run = (state.closed, state.result, len(state.log), state.sections, state.drained, state.claimed)
        return (run, state.cancelled, state.hook, frozenset(taps), self.taken, self.winner, self.flying)

    def step(self, label: str) -> Iterator["Way"]:
        """Where a step of the model leads to."""
        for after in successors(self.state, label):
            yield self._replace(state=after)

    def take(self, call: Call, label: str) -> Iterator["Way"]:
        """The call takes effect with this step of the model."""
        for after in successors(self.state, label):
            yield self._replace(state=after, taken=self.taken | {call.id})

    def number(self, tap: int) -> int:
        """The number that the model has for a tap of the recording; 0 when it has not started."""
        return self.placed.index(tap) + 1 if tap in self.placed else 0

    def shows(self, operation: str) -> bool:
        """What a look at a status or a promise would show."""
        return bool(getattr(self.state, LOOKS[operation]))


class Moves:
    """Every step that may come between two records: a pending call takes effect, or the run does what it owes.

    Only what a history says of itself leaves steps out: an event has the seq that it was handed over with.
    """

    def __init__(self, history: History) -> None:
        self._history = history
        self.pending: dict[int, Call] = {}
        self.unplaced: set[int] = set()

    def _waiting(self, way: Way, *operations: str) -> list[Call]:
        return [call for call in self.pending.values() if call.operation in operations and call.id not in way.taken]

    def accept(self, way: Way) -> Iterator[Way]:
        """The emit whose event has the next seq; if nobody was handed that one, the first emit to return of those
        whose event nobody was handed: it can stand for the others."""
        owner = self._history.owner.get(len(way.state.log))
        if owner is not None:
            waiting = [self.pending[owner]] if owner in self.pending and owner not in way.taken else []
        else:
            waiting = [call for call in self._waiting(way, "emit") if call.seq is None]
        accepting = [call for call in waiting if call.accepts]
        if accepting:
            yield from way.take(min(accepting, key=_last_moment), "EmitTrue")

    def can_close(self, way: Way) -> bool:
        """Whether there is a finish to close the run with."""
        return any(call.wins for call in self._waiting(way, "finish"))

    def close(self, way: Way) -> Iterator[Way]:
        """A finish that wins, once nothing waits any more that was answered as on an open run."""
        if any(call.needs_open for call in self._waiting(way, "emit", "work_begin")):
            return
        end = len(way.state.log)
        for call in self._waiting(way, "finish"):
            if call.wins and call.seq in (None, end) and self._history.owner.get(end) in (None, call.id):
                yield from way.take(call, f"Finish{call.outcome.title()}True")

    def count(self, way: Way) -> Iterator[Way]:
        """A section begins or ends: by the call that is the first to return of those that can, which stands for the
        others."""
        begins = [call for call in self._waiting(way, "work_begin") if call.may_reply(True)]
        if begins:
            yield from way.take(min(begins, key=_last_moment), "WorkBeginTrue")
        ends = [call for call in self._waiting(way, "work_done") if call.may_reply(None)]
        if ends:
            label = "WorkDonePaired" if way.state.sections else "WorkDoneStray"
            yield from way.take(min(ends, key=_last_moment), label)

    def claim(self, way: Way) -> Iterator[Way]:
        """A cancel is accepted; where the hook tells by its thread which one, that one."""
        hook_thread = self._history.hook_thread
        for call in self._waiting(way, "cancel"):
            if hook_thread in ("", call.thread):
                for after in way.take(call, "CancelAccepted"):
                    yield after._replace(winner=call.id)

    def start(self, way: Way, taps: Iterable[int]) -> Iterator[Way]:
        """One of these taps starts, at what it is handed first. One that is handed nothing starts as low as it can, so
        that it is in nobody's way; if nothing may be owed to it, after all that there is."""
        for call in self._waiting(way, "tap"):
            if call.tap in taps:
                starts = list(way.take(call, f"Tap{len(way.placed) + 1}"))
                first = self._history.first.get(call.tap)
                last = call.tap in self._history.owed_nothing
                unseen = len(way.state.log) if last and way.placed else starts[0].state.tap[-1].at
                for after in starts:
                    if after.state.tap[-1].at == (unseen if first is None else first):
                        yield after._replace(placed=(*way.placed, call.tap))

    def fly(self, way: Way, tap: int, at: int) -> Iterator[Way]:
        """A callback of the tap begins before it is recorded."""
        number, place = way.number(tap), self._history.next_callback(tap, at)
        if not number or place is None or tap in way.flying:
            return
        handed = self._history.records[place].get("handed", "done")
        if handed == "done":
            after = way.step(f"Done{number}")
        else:
            after = way.step(f"DeliverAndPark{number}") if handed == way.state.tap[number - 1].at else iter(())
        for one in after:
            yield one._replace(flying=way.flying | {tap})


def _last_moment(call: Call) -> float:
    return float("inf") if call.returns is None else call.returns
