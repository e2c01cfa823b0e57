"""One trial under control: of all its threads exactly one has the turn, and a strategy says which at every point.

Threads come to a point before each line of the modules under test that can meet other threads, at each lock that those
modules make, when they start a thread or wait, and in every callable of the suite. Nothing in the standard library is
one. Time is virtual: when nobody can go on, the clock goes to the next deadline.

Everything a managed thread calls here is called with the turn, so nothing needs a lock.
"""

import _thread
import contextlib
import ctypes
import sys
import threading
import time
from collections.abc import Callable, Container, Set
from types import FrameType
from typing import Any

from attrs import define, field, frozen

from agent_run_tck.schedules.managed import Abort, Managed, label_of
from agent_run_tck.schedules.points import NOWHERE, Place, place_of_caller, tracer
from agent_run_tck.schedules.strategies import Key, Option, Strategy, Turn
from agent_run_tck.steering import frames

HORIZON = 30.0  # virtual seconds that a trial watches threads which wait, and wake up, for ever
LITTLE = 0.02  # of the processor, which a busy machine leaves to whoever goes round
MOST_POINTS = 3_000_000  # of what comes before the race, such as importing a large package
TICK = 0.01  # virtual seconds that pass while one thread has its limit of points in a row
UNWINDING_OPERATIONS = 300  # a thread that swallowed its Abort and goes on gets another one after so many
UNWINDING_SECONDS = 2.0


@frozen
class Limits:
    """`points`: how many may pass until the threads of a race have ended; with more it is a livelock. `rest`: how many
    to wait for others to come to rest, which may go on for ever. `in_a_row`: how many one thread may take while others
    could go on. `gap`: seconds from one point to the next after which a thread is stuck."""

    points: int = 30_000
    rest: int = 3_000
    in_a_row: int = 1_000
    gap: float = 10.0


USUAL = Limits()


@frozen
class Decision:
    """At this moment another option than the default got the turn."""

    thread: str
    point: int
    to: str
    label: str = ""
    to_label: str = ""
    place: Place = NOWHERE

    @property
    def key(self) -> Key:
        return self.thread, self.point


@frozen
class End:
    """How a trial ended other than by coming to its end: deadlock, stuck, livelock or unsupported."""

    kind: str
    text: str


@define(eq=False)
class Scheduler:
    """Made fresh for each trial. `files` are those under test; their lines are points if `stops_at_lines`."""

    strategy: Strategy
    files: Container[str]
    limits: Limits = USUAL
    stops_at_lines: bool = True
    exploring: bool = False
    """Whether the strategy is asked; else all goes in the default order, and nothing is recorded."""
    now: float = 0.0
    points: int = 0
    end: End | None = None
    threads: list[Managed] = field(factory=list)
    turns: list[tuple[Key, list[str]]] = field(factory=list)
    """Each choice that there was: its moment, and the options that are not the default."""
    decisions: list[Decision] = field(factory=list)
    deaths: list[str] = field(factory=list)
    over: bool = False
    _strangers: Set[int] = frozenset()
    """The threads of the process that there were before the trial."""
    _by_ident: dict[int, Managed] = field(factory=dict)
    _in_a_row: int = 0
    _most_points: int = MOST_POINTS
    _has_the_turn: Managed | None = None
    _rests: Managed | None = None
    """The director, while it sees threads to their end."""
    _ended: Any = field(factory=_thread.allocate_lock)

    # --- what the one that is not managed calls ---------------------------------------------------------------------

    def conduct(self, body: Callable[[], object]) -> None:
        """Run `body` as the first thread of the trial, and see all threads to their end. Blocks until then.

        A thread that does not come to its next point within the gap ends the trial, and is left behind.
        """
        self._ended.acquire()
        self._strangers = frames().keys()
        director = self._adopted(None, "0")
        director.label = "director"
        director.baton.release()
        threading.Thread(target=self.run, args=(director, body), name="director", daemon=True).start()
        self._watch()
        self.over = True
        for managed in reversed(self.threads):
            self._unwind(managed)

    def _watch(self) -> None:
        seen, since, used = -1, time.monotonic(), time.process_time()
        while not self._ended.acquire(timeout=min(0.2, self.limits.gap / 2)):
            if self.points != seen:
                seen, since, used = self.points, time.monotonic(), time.process_time()
            elif time.monotonic() - since > self.limits.gap:
                self.end = self._stuck(time.process_time() - used)
                return

    def _stuck(self, used: float) -> End:
        """What to call it: a thread that waits outside our reach uses no time, one that goes round uses some."""
        running = self._has_the_turn or self.threads[0]
        where = f"{running.label} has come to no point for {self.limits.gap:g} s, after {running.place}"
        standing = _standing(running.ident)
        if used < LITTLE * self.limits.gap:
            return End("unsupported", f"{where}: it waits in what is not written in Python, {standing}")
        return End("stuck", f"{where}: it goes round in what is not under test, {standing}")

    def _unwind(self, managed: Managed) -> None:
        with contextlib.suppress(RuntimeError):  # it has the turn
            managed.baton.release()
        if not managed.gone.acquire(timeout=min(UNWINDING_SECONDS, self.limits.gap)):
            # It goes round and round, or waits beyond our reach.
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(managed.ident), ctypes.py_object(Abort))

    # --- what managed threads call ----------------------------------------------------------------------------------

    def current(self) -> Managed | None:
        """The calling thread, if it is one of this trial's."""
        return self._by_ident.get(_thread.get_ident())

    def line(self, code: Any, line: int) -> None:
        """The point before a line."""
        me = self.current()
        if me is not None and not self._unwinds(me):
            me.at = (code, line)
            self._next(me)

    def point(self, what: str) -> None:
        """Any other point; a thread that is not managed passes it."""
        me = self.current()
        if me is not None and not self._unwinds(me):
            me.stands_at(place_of_caller(self.files, what))
            self._next(me)

    def wait(self, ready: Callable[[], bool], what: str, timeout: float | None = None) -> bool:
        """Give the turn away until `ready()`, or until nobody can go on and the virtual timeout is the next to pass.

        Whether it came true. `what` completes the sentence «it waits for …».
        """
        me = self.current()
        if me is None:
            raise RuntimeError("only a thread of the trial can wait in it")
        if self._unwinds(me):
            return False
        me.stands_at(place_of_caller(self.files, f"waits for {what}"))
        me.ready, me.waits_for, me.timed_out = ready, what, False
        me.deadline = None if timeout is None else self.now + max(0.0, timeout)
        try:
            self._next(me)
        finally:
            me.ready = me.deadline = None
        return not me.timed_out

    def idle(self) -> None:
        """For the director: give the turn away until no other thread can go on, nor soon will.

        Threads that poll for ever are right as well, so after a while it is taken back from them.
        """
        enough = self.points + self.limits.rest
        self._most_points = max(self._most_points, enough + self.limits.points)
        self.wait(lambda: self.points > enough, "all others to come to rest", HORIZON)

    def see_ended(self, threads: list[Managed]) -> None:
        """For the director: give the turn away until these threads have ended, or nobody can ever go on."""
        self._rests = self.current()
        self._most_points = self.points + self.limits.points
        self.wait(lambda: all(managed.finished for managed in threads), "the threads of the race to end")
        self._rests = None

    def refuse_strangers(self) -> None:
        """For the director: end the trial where a thread that came up during it, and is not managed, is under test."""
        managed = {managed.ident for managed in self.threads}
        for ident, frame in frames().items():
            if ident not in managed | self._strangers and (place := _place_under_test(frame, self.files)):
                self.stop(End("unsupported", f"a thread that is not managed came up in the trial, at {place}"))

    def pick(self, options: list[Option], default: str, what: str) -> str:
        """Let the strategy choose among things that the calling thread could do next."""
        me = self.current()
        if me is None or self._unwinds(me) or not self.exploring or len(options) < 2:
            return default
        me.points += 1
        me.stands_at(Place("", 0, what))
        return self._choose(me, Turn(me.key, options, default, goes_on=True), lambda id: id)

    def stop(self, end: End) -> None:
        """End the trial here. Called by a managed thread it does not return; by another one it does."""
        self.end = self.end or end
        self._over()
        if (me := self.current()) is not None and not me.unwinding:
            me.baton.acquire()
            self._unwinds(me)

    def started(self, thread: threading.Thread | None) -> Managed:
        """A thread that the calling one is about to start."""
        parent = self.current()
        if parent is None:
            raise RuntimeError("only a thread of the trial can start another one in it")
        parent.children += 1
        return self._adopted(thread, f"{parent.id}.{parent.children}")

    def was_not_started(self, managed: Managed) -> None:
        """No thread was to be had for it."""
        managed.finished = True
        managed.gone.release()

    def run(self, managed: Managed, function: Callable[..., object], args: tuple[Any, ...] = ()) -> None:
        """The whole life of a managed thread, called on it."""
        self._by_ident[_thread.get_ident()] = managed
        managed.ident = _thread.get_ident()
        managed.baton.acquire()
        try:
            if not self.over:
                if self.stops_at_lines and managed.id != "0":
                    sys.settrace(tracer(self.files, self.line))
                function(*args)
        finally:
            sys.settrace(None)
            self._finish(managed)

    def of_thread(self, thread: threading.Thread) -> Managed | None:
        return next((managed for managed in self.threads if managed.thread is thread), None)

    # --- how the turn goes on ---------------------------------------------------------------------------------------

    def _adopted(self, thread: threading.Thread | None, id: str) -> Managed:
        self.threads.append(managed := Managed(id, label_of(thread, id), thread))
        return managed

    def _unwinds(self, me: Managed) -> bool:
        """Whether the trial is over for this thread; the first time that it asks, it is unwound."""
        if not self.over:
            return False
        me.unwinding += 1
        if me.unwinding % UNWINDING_OPERATIONS == 1:
            raise Abort
        return True

    def _next(self, me: Managed) -> None:
        """Count a point, and go on when it is this thread's turn again."""
        me.points += 1
        self.points += 1
        if self.points > self._most_points:
            self.stop(self._livelock())
        chosen = self._chosen(me)
        if chosen is me:
            self._in_a_row += 1
            return
        self._in_a_row = 0
        self._give(chosen)
        me.baton.acquire()
        self._unwinds(me)

    def _livelock(self) -> End:
        text = f"{self.limits.points} points have passed and no end is near; where the threads are:"
        return End("livelock", "\n  ".join([text, *self.standing()]))

    def _finish(self, me: Managed) -> None:
        me.finished = True
        me.points += 1
        self._by_ident.pop(_thread.get_ident(), None)
        if me.id == "0":
            self._over()
        elif not self.over:
            self._give(self._chosen(me))
        me.gone.release()

    def _give(self, chosen: Managed | None) -> None:
        if chosen is not None:
            self._has_the_turn = chosen
            chosen.baton.release()

    def _over(self) -> None:
        self.over = True
        if self._ended.locked():
            self._ended.release()

    def _chosen(self, me: Managed) -> Managed | None:
        if self._in_a_row and self._in_a_row % self.limits.in_a_row == 0:
            self._let_time_pass(self.now + TICK)  # one that waits in a loop does not stop the clock
        able = [managed for managed in self.threads if managed.enabled]
        if len(able) > 1 and me in able and self._in_a_row >= self.limits.in_a_row:
            able.remove(me)  # nor does it keep the turn
        if not able:
            return self._after_a_wait()
        if len(able) == 1 or able[0] is self.threads[0]:  # the director waits for others again, if it has to
            return able[0]
        default = me if me in able else self._after(me, able)
        if not self.exploring:
            return default
        by_id = {managed.id: managed for managed in able}
        options = [managed.option() for managed in able]
        turn = Turn(me.key, options, default.id, goes_on=default is me)
        return by_id[self._choose(me, turn, lambda id: by_id[id].label)]

    def _choose(self, me: Managed, turn: Turn, label: Callable[[str], str]) -> str:
        self.turns.append((turn.key, turn.others()))
        chosen = self.strategy.choose(turn)
        if chosen != turn.default:
            self.decisions.append(Decision(*turn.key, chosen, me.label, label(chosen), me.place))
        return chosen

    def _after(self, me: Managed, able: list[Managed]) -> Managed:
        """The next one in the order of creation, so that everybody's turn comes."""
        mine = self.threads.index(me)
        return next((managed for managed in able if self.threads.index(managed) > mine), able[0])

    def _after_a_wait(self) -> Managed | None:
        timed = [managed for managed in self.threads if not managed.finished and managed.deadline is not None]
        if timed:
            first = min(timed, key=lambda managed: managed.deadline or 0.0)
            self._let_time_pass(max(self.now, first.deadline or 0.0))
            return first
        if self._rests is None:
            self.end = End("deadlock", "\n  ".join(["nobody can go on:", *self.standing()]))
            self._over()
        return self._rests

    def _let_time_pass(self, until: float) -> None:
        self.now = until
        for managed in self.threads:
            if managed.deadline is not None and managed.deadline <= until:
                managed.timed_out = True

    def standing(self) -> list[str]:
        """Where those threads are that have not come to their end, but for the director."""
        return [managed.standing() for managed in self.threads[1:] if not managed.finished]


def _standing(ident: int) -> str:
    frame = frames().get(ident)
    return "nobody knows where" if frame is None else str(Place(frame.f_code.co_filename, frame.f_lineno))


def _place_under_test(frame: FrameType | None, files: Container[str]) -> Place | None:
    while frame is not None and frame.f_code.co_filename not in files:
        frame = frame.f_back
    return None if frame is None else Place(frame.f_code.co_filename, frame.f_lineno)
