"""An agent run for programs that live on one asyncio event loop: no threads, no locks. Copy it and make it yours.

    async def main() -> None:
        run = Run()
        run.tap(lambda event: print(event.plain()))
        driver = asyncio.create_task(drive(run))  # emits, and at last: run.finish(Event.of("run-completed", {}))
        print(await asyncio.wait_for(run.result, timeout=60))

The loop does what a lock does elsewhere: an operation is one step of it, and nothing comes in between. So everything
is called on the loop's thread, from tasks and callbacks alike, and another thread asks the loop to call, with
`loop.call_soon_threadsafe(run.cancel)`. Only `id`, `is_done` and `is_cancelled` may be read from anywhere.

Subscribers, continuations and the hook are plain functions, called on the loop. What one of them raises goes to the
loop's exception handler and harms nobody: also SystemExit and KeyboardInterrupt, which end a loop when they come out
of a callback. (Ctrl-C is not among them: `asyncio.run` turns it into a cancellation of the main task.)
"""

import asyncio
import json
import re
import uuid
from collections import deque
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

OUTCOMES = {"run-completed": "completed", "run-failed": "failed", "run-cancelled": "cancelled"}
RESULT_DEFAULTS: dict[str, Any] = {"final": "", "messages": [], "error": None, "attempts": [], "reason": None}
EVENTS_PER_TURN = 32

# The kinds of events and the fields of each. A field is required (!, with its values behind it where they are a closed
# set), optional (?, or ~ where an empty one counts as not given), or always there (=, with its default behind it).
KINDS = """
run-started: message-count! context-digest?
round-started: round! tokens?
attempt-started: round! attempt! backend-index! model!
token: text! round? attempt?
attempt-failed: round! attempt! backend-index! model? error! error-class? error-status? \
disposition!retry-same|advance|abort backoff? usage~
attempt-succeeded: round! attempt! backend-index! model-used? finish-reason? usage={} latency-ms?
assistant-message: message! reasoning? round?
turn-committed: message-id? round?
tool-call: id! name! arguments? round?
tool-started: id! name! round?
tool-progress: id! progress! total? message? round?
tool-result: id! name? content! is-error=false artifact~ round?
tool-abandoned: id! name! reason!cancelled|deadline|budget-exhausted dispatched! round?
subagent: agent-id! agent-type! label? call-id? inner!
background-op-started: op-id! op-kind! label? call-id? round?
background-op-settled: op-id! op-kind! collected=false round?
background-op-delivered: op-kind! op-id? message-id? round?
run-parked: outstanding! ops=[] round?
run-resumed: reason!completion|steer|cancelled|idle parked-seconds? round?
ask-pending: request! tool?
ask-answered: request! answer?
log: level! logger? data!
limit-reached: limit! count? max?
turn-discarded: reason!limit|failed|cancelled round?
compaction-started: tokens-before? budget? message-count? round?
compaction-done: tokens-before? tokens-after? dropped? summary? fallback=false round?
run-completed: final="" rounds? message-count?
run-failed: error! attempts=[] round? reason?
run-cancelled: stage? round?
"""


@dataclass(frozen=True, slots=True)
class Field:
    required: bool
    drops_empty: bool
    values: tuple[str, ...]
    default: str

    @classmethod
    def parsed(cls, text: str) -> tuple[str, "Field"]:
        name, mark, rest = re.fullmatch(r"([a-z-]+)([!?~=])(.*)", text).groups()
        values = tuple(rest.split("|")) if mark == "!" and rest else ()
        return name, cls(mark == "!", mark == "~", values, rest if mark == "=" else "null")

    def checked(self, what: str, value: Any) -> Any:
        """The value as the event has it; None for a field that it does not have."""
        if value is None and self.required:
            raise ValueError(f"{what} is required; give it a value")
        if self.values and value not in self.values:
            raise ValueError(f"{what} cannot be {value!r}; it is one of {', '.join(self.values)}")
        if value is None:
            return json.loads(self.default)
        return None if self.drops_empty and not value else value


FIELDS = {
    kind: dict(Field.parsed(field) for field in fields.split())
    for kind, _, fields in (line.partition(": ") for line in KINDS.strip().splitlines())
}


def checked(kind: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """The payload of an event of that kind, with what is always there and without what is not."""
    fields = FIELDS.get(kind)
    if fields is None:
        raise ValueError(f"{kind!r} is not a kind of event; these are {', '.join(FIELDS)}")
    if unknown := [repr(key) for key in payload if key not in fields]:
        raise TypeError(f"a {kind} has no {', '.join(unknown)}; its fields are {', '.join(fields)}")
    values = {name: field.checked(f"{name} of a {kind}", payload.get(name)) for name, field in fields.items()}
    return {name: value for name, value in values.items() if value is not None}


def packed(data: object) -> bytes:
    """Plain data as JSON: nobody can change it, and whoever unpacks it has a copy of their own.

    Raises TypeError or ValueError for what would not come back as it is.
    """
    packet = json.dumps(data, allow_nan=False, ensure_ascii=False).encode()
    if json.loads(packet) != data:
        raise TypeError("this is not plain data: use string keys, and lists instead of tuples")
    return packet


def shielded(foreign: Callable[..., object], *args: object) -> None:
    """Call what a user handed in; whatever it raises goes to the loop's exception handler and no further."""
    try:
        foreign(*args)
    except BaseException as error:
        context = {"message": "a callback raised; the run goes on without it", "exception": error}
        asyncio.get_running_loop().call_exception_handler(context)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a run: `Event.of("token", {"text": "Hello"})`. Emitting makes a stamped copy of it.

    One class for all kinds, with what a kind has in KINDS.
    """

    kind: str
    packet: bytes
    ts: str
    run_id: str | None = None
    seq: int | None = None

    @classmethod
    def of(cls, kind: str, payload: Mapping[str, Any], moment: datetime | None = None) -> "Event":
        """An event of this moment, or of a given one. The payload has the fields that the kind has, all plain data.

        Raises TypeError or ValueError for anything else, and for a moment without a time zone.
        """
        if moment is not None and moment.utcoffset() is None:
            raise ValueError(f"{moment} has no time zone; give a moment such as datetime.now(UTC)")
        utc = (moment or datetime.now(UTC)).astimezone(UTC).replace(tzinfo=None)
        return cls(kind, packed(checked(kind, payload)), utc.isoformat(timespec="microseconds") + "Z")

    @property
    def is_terminal(self) -> bool:
        return self.kind in OUTCOMES

    def plain(self) -> dict[str, Any]:
        """A fresh copy as plain data; `run-id` and `seq` are there once the event was accepted."""
        envelope = {} if self.seq is None else {"run-id": self.run_id, "seq": self.seq}
        return {**json.loads(self.packet), "kind": self.kind, "ts": self.ts, **envelope}


class Promise:
    """A future that its readers cannot spoil: no wait cancels it, and everybody gets a copy of their own.

    `await promise`, `asyncio.wait_for(promise, 5)` and the like take it as they take a future. A bare future would not
    do: whoever gives up waiting for it, by a timeout or because their own task is cancelled, cancels it for all.
    """

    def __init__(self) -> None:
        self._future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    def done(self) -> bool:
        """Whether the promise is kept. May be asked from anywhere."""
        return self._future.done()

    def result(self) -> Any:
        """The value. Raises asyncio.InvalidStateError before there is one."""
        return json.loads(self._future.result())

    def add_done_callback(self, continuation: Callable[["Promise"], object]) -> None:
        """Have `continuation(promise)` called once, in a later turn of the loop, as soon as there is a value."""
        self._future.add_done_callback(lambda _: shielded(continuation, self))

    def __await__(self) -> Generator[Any, None, Any]:
        yield from asyncio.shield(self._future).__await__()
        return self.result()

    def _keep(self, packet: bytes) -> None:
        self._future.set_result(packet)


@dataclass(eq=False)
class Tap:
    """One subscription. It has a queue of its own, and hands over a few events in each turn of the loop."""

    _queue: deque[Event]
    _on_event: Callable[[Event], object]
    _on_done: Callable[[], object] | None
    _audience: list["Tap"]
    _closed: bool = False
    _scheduled: bool = False

    def __post_init__(self) -> None:
        self._schedule()

    def close(self) -> None:
        """Be handed nothing more, not even done. May be called from within a callback, and again."""
        self._closed = True
        self._queue.clear()
        if self in self._audience:
            self._audience.remove(self)

    def _put(self, event: Event) -> None:
        self._queue.append(event)
        self._schedule()

    def _schedule(self) -> None:
        if self._queue and not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._deliver)

    def _deliver(self) -> None:
        for _ in range(EVENTS_PER_TURN):
            if self._queue:
                self._hand(self._queue.popleft())
        self._scheduled = False
        self._schedule()

    def _hand(self, event: Event) -> None:
        shielded(self._on_event, event)
        if event.is_terminal and self._on_done is not None and not self._closed:
            shielded(self._on_done)


class Run:
    """One agent run. Callers `tap`, await `result` and `cancel`; a driver emits and finishes. Made on a running loop.

    No operation awaits anything, or calls a subscriber or a continuation. Only the hook `on_cancel` is called within
    an operation, the first `cancel` of the open run; for work that takes time, let it start a task.
    """

    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        self.id = str(uuid.uuid4()) if run_id is None else run_id
        self.result = Promise()  # kept by the `finish` that wins, also when the run failed: a failure is data
        self.cancellation = Promise()  # kept by the first `cancel` of the open run
        self.drained = Promise()  # kept once the run is finished, no section is open and no hook is running
        self._on_cancel = on_cancel
        self._accepted = 0
        self._sections = 0
        self._backlog: deque[Event] | None = deque()
        self._audience: list[Tap] = []

    @property
    def is_done(self) -> bool:
        return self.result.done()

    @property
    def is_cancelled(self) -> bool:
        return self.cancellation.done()

    def tap(
        self,
        on_event: Callable[[Event], object],
        on_done: Callable[[], object] | None = None,
        on_quit: Callable[[BaseException], object] | None = None,
    ) -> Tap:
        """Have `on_event(event)` called for each event and `on_done()` after the terminal, in later turns of the loop.

        The first tap gets the run from its beginning, even when it is over. Another gets what is accepted from then on;
        what is accepted while every tap is closed is dropped. `on_quit` is never called: a run does not break.
        """
        queue, self._backlog = self._backlog or deque(), None
        tap = Tap(queue, on_event, on_done, self._audience)
        if not self.is_done:
            self._audience.append(tap)
        return tap

    def emit(self, event: Event) -> bool:
        """Accept an event and publish it in a later turn of the loop. False: the run is finished, and nothing happened.

        Raises ValueError for a terminal event, TypeError for what is no event; the run is then as it was.
        """
        if self.is_done:
            return False
        if self._outcome(event):
            raise ValueError(f"{event.kind} is a terminal event; a run ends with finish(), not with emit()")
        self._publish(event)
        return True

    def finish(self, terminal: Event, **given: Any) -> bool:
        """End the run: keep the result and publish the terminal. False: it was finished before, and nothing happened.

        `given` may have final, messages, error, attempts, reason and spent, all plain data. Raises ValueError for an
        event that is not terminal, TypeError or ValueError for a keyword or value that will not do; the run stays open.
        """
        if self.is_done:
            return False
        outcome = self._outcome(terminal)
        if not outcome:
            raise ValueError(f"{terminal.kind} is not a terminal event; emit() is for it, finish() ends the run")
        packet = packed({**RESULT_DEFAULTS, **_known(given), "outcome": outcome})
        if self.is_done:  # a value with methods of its own, a subclass of dict perhaps, may have finished this very run
            return False
        self.result._keep(packet)
        self._publish(terminal)
        self._audience.clear()
        self._on_cancel = None
        self._keep_drained_if_due()
        return True

    def cancel(self) -> None:
        """Ask the driver to stop: keep `cancellation`, then call the hook. It stops nothing by itself, the driver does.

        Never raises. A second call does nothing, and neither does any call once the run is finished.
        """
        if self.is_done or self.is_cancelled:
            return
        self.cancellation._keep(packed(True))
        if self._on_cancel is not None:
            self.work_begin()
            shielded(self._on_cancel)
            self.work_done()

    def work_begin(self) -> bool:
        """Open a work section: `drained` waits for its `work_done`. False: the run is finished, nothing was opened."""
        self._sections += not self.is_done
        return not self.is_done

    def work_done(self) -> None:
        """Close a work section. Never raises."""
        self._sections = max(0, self._sections - 1)
        self._keep_drained_if_due()

    def _outcome(self, event: Event) -> str | None:
        if type(event) is not Event:  # a subclass could run code of its own while it is stamped
            raise TypeError(f"{type(event).__name__} is no event; make one with Event.of(kind, payload)")
        return OUTCOMES.get(event.kind)

    def _publish(self, event: Event) -> None:
        stamped = replace(event, run_id=self.id, seq=self._accepted)
        self._accepted += 1
        if self._backlog is not None:
            self._backlog.append(stamped)
        for tap in self._audience:
            tap._put(stamped)

    def _keep_drained_if_due(self) -> None:
        if self.is_done and self._sections == 0 and not self.drained.done():
            self.drained._keep(packed(True))


def _known(given: dict[str, Any]) -> dict[str, Any]:
    if unknown := given.keys() - RESULT_DEFAULTS.keys() - {"outcome", "spent"}:
        raise TypeError(f"finish() has no {', '.join(unknown)}; it takes {', '.join(RESULT_DEFAULTS)} and spent")
    return {key: value for key, value in given.items() if key != "spent" or value is not None}


def tck_adapter() -> Any:
    """What the conformance kit looks for, with `--impl=asyncio_run` or a path; nothing else here needs the kit."""
    from agent_run_tck.asyncio_adapter import AsyncioAdapter

    class Adapter(AsyncioAdapter):
        make_event_at = staticmethod(Event.of)
        event_module = __name__

    capabilities = {"buffers_gaps": False, "events": True, "given_ts": True, "star_import": True}
    return Adapter(Run, Event.of, Event.plain, name="asyncio_run", capabilities=capabilities)
