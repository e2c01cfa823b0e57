"""One small race: runs of the implementation, called directly and logged without a lock.

Every call and every callback takes marks from one counter, so that what ended before another began can be told from
what overlapped it. Whoever runs a trial hooks into `point`, which all callables of the suite pass: to make noise, or to
give the turn to another thread.
"""

import itertools
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from operator import itemgetter
from typing import Any

from attrs import define, field

from agent_run_tck.protocol import Adapter
from agent_run_tck.values import word
from agent_run_tck.wire.faults import Fault

Body = Callable[[], object]
Entry = list[str]
LONGER_THAN_A_TRIAL = 300.0  # seconds
OF_OUTCOME: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "completed": ("final", {}),
    "failed": ("error", {}),
    "cancelled": ("stage", {}),
}


class Violated(AssertionError):
    """What was seen is not allowed by the requirement; the text says what it was."""

    def __init__(self, requirement: str, text: str) -> None:
        super().__init__(text)
        self.requirement = requirement
        self.text = text


def nothing() -> None:
    """The seam of a trial in which nobody is interested."""


@define(eq=False)
class Call:
    """An operation, or a read of a status: `end` is None while it has not returned."""

    thread: str
    operation: str
    argument: str
    start: int
    end: int | None = None
    reply: Any = None
    error: BaseException | None = None

    def before(self, other: "Call") -> bool:
        """Whether this call had returned when the other one began."""
        return self.end is not None and self.end < other.start

    def entry(self) -> Entry:
        """The call as a line of the history: thread, what, reply."""
        told = str(self.reply) if isinstance(self.reply, bool | str) else "returned"
        reply = "has not returned" if self.end is None else f"raised {self.error!r}" if self.error else told
        return [self.thread, f"{self.start:>3}-{self.end or '':<3} {self.operation}({self.argument})", reply]


@define(eq=False)
class Callback:
    """A hook or a continuation that belongs to the suite: the mark at which each of its calls began."""

    trial: "Trial"
    name: str
    marks: list[int] = field(factory=list)

    def __call__(self, *values: Any) -> None:
        self.trial.point()
        self.marks.append(self.trial.tick())
        self.trial.point()


@define(eq=False)
class Subscriber:
    """What a tap was handed: (mark, `event` or `done` or `quit`, the event as it came).

    `early`: the marks of the events within which `finds_done` said that the run is not done.
    """

    trial: "Trial"
    name: str
    finds_done: Callable[[], bool] = lambda: True
    handed: list[tuple[int, str, Any]] = field(factory=list)
    tap: Any = None
    called: Call | None = None
    closing: Call | None = None
    overlaps: list[str] = field(factory=list)
    early: list[int] = field(factory=list)
    _inside: list[int] = field(factory=list)

    def on_event(self, event: Any) -> None:
        self._handed("event", event)

    def on_done(self) -> None:
        self._handed("done", None)

    def on_quit(self, error: BaseException | None = None) -> None:
        self._handed("quit", error)

    def _handed(self, what: str, thing: Any) -> None:
        mark = self.trial.tick()
        if what == "event" and not self.finds_done():
            self.early.append(mark)
        if self._inside:
            self.overlaps.append(what)
        self._inside.append(mark)
        self.handed.append((mark, what, thing))
        self.trial.point()
        self._inside.remove(mark)

    @property
    def after_its_close(self) -> list[str]:
        """What was handed to it after its close had returned; nothing where callbacks are noted late."""
        if self.closing is None or self.closing.end is None or not self.trial.calls_back_at_once:
            return []
        return [what for mark, what, _ in self.handed.copy() if mark > self.closing.end]

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events so far, in plain form."""
        return [self.trial.plain(event) for _, what, event in self.handed.copy() if what == "event"]

    @property
    def log(self) -> list[str]:
        return [what for _, what, _ in self.handed.copy()]


class RacingRun:
    """A run of the implementation. Each operation is a call in the log; what it raises is logged and goes no further.

    Events are made beforehand, so that making them is no part of the race. Their names tell them apart.
    """

    def __init__(self, trial: "Trial", hook: bool = False) -> None:
        self._trial = trial
        self.hook = Callback(trial, "hook") if hook else None
        self.calls: list[Call] = []
        self.subscribers: list[Subscriber] = []
        self.continuations: dict[str, list[Callback]] = {"result": [], "cancellation": [], "drained": []}
        self.handle = trial.created(self.hook)

    # --- operations, each to be called now ------------------------------------------------------------------------

    def cancel(self) -> None:
        self._do("cancel", "", self.handle.cancel)

    def work_begin(self, section: str) -> bool:
        """Open a section, which the history calls `section`."""
        return bool(self._do("work_begin", section, self.handle.work_begin))

    def work_done(self, section: str) -> None:
        self._do("work_done", section, self.handle.work_done)

    def tap(self, name: str = "tap") -> Subscriber:
        """Subscribe; the callbacks may come before this has returned."""
        subscriber = Subscriber(self._trial, name, self._finds_done)
        self.subscribers.append(subscriber)
        callbacks = (subscriber.on_event, subscriber.on_done, subscriber.on_quit)
        subscriber.tap = self._do("tap", name, lambda: self.handle.tap(*callbacks), subscriber)
        return subscriber

    def close(self, subscriber: Subscriber) -> None:
        if subscriber.tap is not None:
            subscriber.closing = call = self._begin("close", subscriber.name)
            self._end(call, subscriber.tap.close)

    def then(self, promise: str) -> Callback:
        """Register a continuation of `result`, `cancellation` or `drained`."""
        callback = Callback(self._trial, f"continuation of {promise}")
        self.continuations[promise].append(callback)
        self._do("then", promise, lambda: getattr(self.handle, promise).then(callback))
        return callback

    def wait(self, promise: str) -> None:
        """Wait for `result`, `cancellation` or `drained`, longer than any trial; nothing where the handle has no wait.

        Nor is there one over a wire, where a request that blocks is not told from a port that hangs.
        """
        own = getattr(getattr(self.handle, promise), "wait", None)
        if own is not None and self._trial.calls_back_at_once:
            self._do("wait", promise, lambda: own(LONGER_THAN_A_TRIAL))

    def is_done(self) -> bool:
        return bool(self._do("is_done", "", lambda: self.handle.is_done))

    def is_cancelled(self) -> bool:
        return bool(self._do("is_cancelled", "", lambda: self.handle.is_cancelled))

    def status(self, promise: str) -> str:
        return word(self._do("status", promise, lambda: getattr(self.handle, promise).status))

    # --- operations with an event that is made now and used later -------------------------------------------------

    def emitting(self, name: str) -> Callable[[], bool]:
        """An emit of a token whose text is `name`."""
        event = self._trial.make_event("token", {"text": name})
        return lambda: bool(self._do("emit", name, lambda: self.handle.emit(event)))

    def finishing(self, outcome: str, name: str) -> Callable[[], bool]:
        """A finish whose terminal and whose result both have `name` in a field of theirs."""
        key, payload = OF_OUTCOME[outcome]
        event = self._trial.make_event(f"run-{outcome}", {**payload, key: name})
        final = self._trial.foreign(name, self._trial.point)
        return lambda: bool(self._do("finish", f"{outcome} {name}", lambda: self.handle.finish(event, final=final)))

    def first_and_later_taps(self) -> tuple[list[Subscriber], list[Subscriber]]:
        """The first tap, if there is one, and all others.

        Of those that were made at once it is the one that was handed most: whichever the run took for the first gets
        the whole of it.
        """
        made = self.subscribers.copy()
        called = [each.called for each in made[:1] if each.called]
        rivals = [each for each in made if each.called and not any(one.before(each.called) for one in called)]
        first = max(rivals, key=lambda each: len(each.handed), default=None)
        return [each for each in made if each is first], [each for each in made if each is not first]

    # --- what the log has -----------------------------------------------------------------------------------------

    def of(self, *operations: str) -> list[Call]:
        """The calls of these operations so far, in the order in which they began."""
        return [call for call in self.calls.copy() if call.operation in operations]

    def granted(self, operation: str) -> list[Call]:
        """The calls that replied true."""
        return [call for call in self.of(operation) if call.end is not None and call.reply is True]

    def refused(self, operation: str) -> list[Call]:
        """The calls that replied false."""
        return [call for call in self.of(operation) if call.end is not None and call.reply is False]

    def _finds_done(self) -> bool:
        """What a read says inside a callback: no call in the log, and nothing passes a point before it.

        True without a read where no finish has begun, so that no terminal can have come, or where it is noted late.
        """
        return not (self._trial.calls_back_at_once and self.of("finish")) or bool(self.handle.is_done)

    def _do(
        self, operation: str, argument: str, action: Callable[[], Any], subscriber: Subscriber | None = None
    ) -> Any:
        call = self._begin(operation, argument)
        if subscriber is not None:
            subscriber.called = call
        return self._end(call, action)

    def _begin(self, operation: str, argument: str) -> Call:
        self._trial.point()
        call = Call(self._trial.thread(), operation, argument, self._trial.tick())
        self.calls.append(call)
        return call

    def _end(self, call: Call, action: Callable[[], Any]) -> Any:
        try:
            call.reply = action()
        except Fault:  # of a port, and no reply of the implementation
            raise
        except BaseException as error:
            call.error = error
            if not isinstance(error, Exception):
                raise
        finally:
            call.end = self._trial.tick()
        self._trial.point()
        return call.reply


class Trial:
    """What one run of a scenario works with; made fresh for each. `point` is what all callables of the suite pass."""

    def __init__(
        self,
        adapter: Adapter,
        point: Callable[[], object] = nothing,
        constructing: Callable[[Callable[[], Any]], Any] = lambda create: create(),
        foreign: Callable[[str, Callable[[], object]], Any] = lambda text, point: text,
    ) -> None:
        self.point = point
        self.calls_back_at_once = True  # false over a wire, where a callback is noted some time after it was called
        self.runs: list[RacingRun] = []
        self.make_event = adapter.make_event
        self.plain = adapter.plain
        self.foreign = foreign
        self._adapter = adapter
        self._constructing = constructing
        self._marks = itertools.count(1)
        self._names: dict[int, str] = {}

    def run(self, hook: bool = False) -> RacingRun:
        """A new run of the implementation, with a hook or without one."""
        self.runs.append(RacingRun(self, hook))
        return self.runs[-1]

    def created(self, hook: Callback | None) -> Any:
        """A handle, made as whoever runs the trial wants it to be made."""
        return self._constructing(partial(self._adapter.create_run, None, hook))

    def tick(self) -> int:
        """The next mark of the one clock of this trial."""
        return next(self._marks)

    def thread(self) -> str:
        """The calling thread, as the history calls it."""
        return self._names.get(threading.get_ident(), "main")

    def named(self, name: str, body: Body) -> Body:
        """The body, on a thread that the history calls `name`."""

        def run() -> object:
            self._names[threading.get_ident()] = name
            return body()

        return run

    def history(self) -> list[Entry]:
        """All that was done and seen, in the order of the marks at which it began: thread, what, reply."""
        lines = [line for run in self.runs for line in _lines(run)]
        return [entry for _, entry in sorted(lines, key=itemgetter(0))]


def _lines(run: RacingRun) -> Iterator[tuple[int, Entry]]:
    for call in run.calls.copy():
        yield call.start, call.entry()
    for subscriber in run.subscribers:
        for mark, what, thing in subscriber.handed.copy():
            yield (
                mark,
                _at(mark, f"{subscriber.name} is handed {_short(subscriber, thing) if what == 'event' else what}"),
            )
    callbacks = [each for several in run.continuations.values() for each in several]
    for callback in [*callbacks, *([run.hook] if run.hook else [])]:
        for mark in callback.marks:
            yield mark, _at(mark, f"the {callback.name} is called")


def _at(mark: int, what: str) -> Entry:
    return ["", f"{mark:>3}     {what}", ""]


def _short(subscriber: Subscriber, event: Any) -> str:
    plain = subscriber.trial.plain(event)
    return f"{plain['kind']} {name_of(plain)}, seq {plain.get('seq')}"


def name_of(plain: Mapping[str, Any]) -> str:
    """The name that the suite gave to an event of its own."""
    return str(next((plain[key] for key in ("text", "final", "error", "stage") if key in plain), ""))
