"""One trial under control: what is done in it, and how it ends."""

import contextlib
import gc
import logging
import threading
from collections.abc import Callable, Container, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from attrs import define, field, frozen

from agent_run_tck.races.trial import Violated
from agent_run_tck.schedules.managed import Abort
from agent_run_tck.schedules.scheduler import USUAL, Decision, Limits, Scheduler
from agent_run_tck.schedules.shims import controlled
from agent_run_tck.schedules.strategies import Default, Key, Strategy

Body = Callable[[], object]
Point = Callable[[], object]


class Race(Protocol):
    """What the threads of one trial do. All of it is called on threads of the trial."""

    def bodies(self) -> Sequence[Body]:
        """What to run, each on a thread of its own."""

    def judge(self) -> None:
        """Called when all threads are at rest; raises Violated for what must not be."""

    def history(self) -> Sequence[str]:
        """What was done and seen."""


class Program(Protocol):
    """What is explored: the same race, made anew for each trial."""

    @property
    def files(self) -> Container[str]:
        """The files under test."""

    @property
    def stops_at_lines(self) -> bool:
        """Whether their lines are points: they need not be where all of it runs on one event loop."""

    @property
    def requirement(self) -> str:
        """Whose violation it is when threads do not come to their end."""

    @property
    def cold(self) -> bool:
        """Whether the next trial is unlike the others, and its schedule so another one, as it has to import first."""

    def around(self) -> AbstractContextManager[None]:
        """Entered around each trial, by the thread that explores."""

    def race(self, point: Point) -> Race:
        """The race of one trial, whose callables pass `point`. Called on the first thread of the trial."""

    def at_rest(self) -> None:
        """Called on the same thread at the end, to let threads go that would wait for ever."""

    def spoil(self) -> None:
        """Called when threads were unwound: what they were in the midst of is of no more use to later trials."""


@frozen
class Finding:
    """What a schedule has shown. `kind` is violation, deadlock, livelock, stuck or error."""

    kind: str
    requirement: str
    text: str
    history: tuple[str, ...] = ()

    def same_as(self, other: "Finding | None") -> bool:
        """Whether both are the same fault, as far as can be told."""
        return other is not None and (self.kind, self.requirement) == (other.kind, other.requirement)


@frozen
class Outcome:
    """How one trial went. `unsupported` says why control was lost, if it was; then nothing else counts."""

    finding: Finding | None
    unsupported: str
    turns: Sequence[tuple[Key, list[str]]]
    decisions: Sequence[Decision]
    points: int


def run_trial(program: Program, strategy: Strategy, limits: Limits = USUAL) -> Outcome:
    """Run one trial, behind one in the default order where the program is cold.

    Blocks until all its threads have ended, or longest for the gap that is called stuck. One at a time in a process,
    from a thread of no trial.
    """
    if program.cold:
        _run_one(program, Default(), limits)
    return _run_one(program, strategy, limits)


def _run_one(program: Program, strategy: Strategy, limits: Limits) -> Outcome:
    scheduler = Scheduler(strategy, program.files, limits, program.stops_at_lines)
    director = _Director(program, scheduler)
    with _quiet(), program.around(), controlled(scheduler):
        scheduler.conduct(director.direct)
    if any(managed.unwinding for managed in scheduler.threads) or scheduler.end:
        program.spoil()
    return director.outcome()


@contextmanager
def _quiet() -> Generator[None]:
    """No finaliser comes between two points, and the log is not told what is tried on purpose."""
    collects, disabled = gc.isenabled(), logging.root.manager.disable
    gc.disable()
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(disabled)
        if collects:
            gc.enable()


@define(eq=False)
class _Director:
    _program: Program
    _scheduler: Scheduler
    _finding: Finding | None = None
    _race: Race | None = None
    _errors: list[BaseException] = field(factory=list)

    def direct(self) -> None:
        """The first thread of the trial: build, race, judge, and let everybody come to rest."""
        try:
            self._explore()
        except Violated as violated:
            self._found("violation", violated.text, violated.requirement)
        except Abort:
            return
        except BaseException as error:
            self._found("error", f"{type(error).__name__}: {error}")
        with contextlib.suppress(Exception):  # what hangs was found by now
            self._program.at_rest()
        self._scheduler.idle()

    def _explore(self) -> None:
        scheduler = self._scheduler
        self._race = race = self._program.race(lambda: scheduler.point("in the suite"))
        threads = [
            threading.Thread(target=self._noting(body), name=f"thread {number}")
            for number, body in enumerate(race.bodies(), 1)
        ]
        for thread in threads:
            thread.start()
        managed = [managed for thread in threads if (managed := scheduler.of_thread(thread))]
        scheduler.exploring = True
        scheduler.see_ended(managed)
        scheduler.idle()
        scheduler.exploring = False
        scheduler.refuse_strangers()
        if not all(each.finished for each in managed):
            self._found("deadlock", "\n  ".join(["some threads wait for ever:", *scheduler.standing()]))
            return
        if self._errors:
            raise self._errors[0]
        race.judge()

    def _noting(self, body: Body) -> Body:
        def run() -> None:
            try:
                body()
            except Abort:
                raise
            except BaseException as error:
                self._errors.append(error)

        return run

    def _found(self, kind: str, text: str, requirement: str = "") -> None:
        told = "\n".join([text, *self._scheduler.deaths])
        history = tuple(self._race.history()) if self._race else ()
        self._finding = Finding(kind, requirement or self._program.requirement, told, history)

    def outcome(self) -> Outcome:
        scheduler = self._scheduler
        end = scheduler.end
        unsupported = end.text if end and end.kind == "unsupported" else ""
        if end and not unsupported and self._finding is None:
            self._found(end.kind, end.text)
        return Outcome(
            None if unsupported else self._finding, unsupported, scheduler.turns, scheduler.decisions, scheduler.points
        )
