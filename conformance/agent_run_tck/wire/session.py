"""What one check has in a port: its labels, the callbacks it has sent there, and the end of it all."""

import itertools
import weakref
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from agent_run_tck.callbacks import Callback, Subscriber
from agent_run_tck.index import example_payload
from agent_run_tck.wire.connection import Connection, Message
from agent_run_tck.wire.faults import Fault, Refusal
from agent_run_tck.wire.proxies import PortEvent, PortGate, PortPromise, PortRun, PortTap
from agent_run_tck.wire.scripts import Decode, Followed, Heard, Told

if TYPE_CHECKING:
    from agent_run_tck.case import Case

FORGOTTEN_TOGETHER = 100


class Session:
    """What one check, or one user without a check, has in the port. Everything is named after it and forgotten with it.

    All of it may be used from any thread. What the port tells is noted in the case on the connection's thread.
    """

    def __init__(
        self, connection: Connection, name: str, case: "Case | None", leave: Callable[["Session", bool], None]
    ):
        self.connection = connection
        self.promise: type[PortPromise] = PortPromise
        self._name = name
        self._case = case
        self._leave = leave
        self._numbers = itertools.count(1)
        self._runs: set[str] = set()
        self._events: set[str] = set()
        self._gates: set[str] = set()
        self._keys: set[tuple[str, str]] = set()
        self._ids: list[int] = []
        self._dropped: list[str] = []
        self._dropped_events: list[str] = []
        self._closed = False
        if case is not None:
            connection.watchers.append(self._note_fault)

    @property
    def case(self) -> "Case":
        assert self._case is not None, "steps belong to a check"
        return self._case

    # --- the adapter of the kit ---------------------------------------------------------------------------------

    def create_run(
        self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None, name: str = ""
    ) -> PortRun:
        """A new run in the port, called `name` in steps."""
        self._forget_dropped()
        label = self.run_label(name or f"run-{next(self._numbers)}")
        given = {} if run_id is None else {"run_id": run_id}
        hook = {} if on_cancel is None else {"hook": self.script(on_cancel)}
        self._runs.add(label)
        self.ask("create", run=label, **given, **hook)
        run = PortRun(self, label)
        weakref.finalize(run, self._dropped.append, label).atexit = False
        return run

    def make_event(self, kind: str, payload: Mapping[str, Any]) -> PortEvent:
        """An event that is made in the port now, and kept there. Raises Refusal when it cannot be made."""
        return self._made({"kind": kind, "payload": payload})

    def make_event_at(self, kind: str, payload: Mapping[str, Any], ts: datetime) -> PortEvent:
        """The same for an event that was created at `ts`; for ports that declare given_ts."""
        return self._made({"kind": kind, "payload": payload, "ts": ts.isoformat(timespec="microseconds")})

    def _made(self, data: Message) -> PortEvent:
        name = f"{self._name}/event-{next(self._numbers)}"
        event = PortEvent({"name": name, **data})
        self._events.add(name)
        weakref.finalize(event, self._dropped_events.append, name).atexit = False
        self.plain(event)
        return event

    def render(self, events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """What a fresh consumer in the port shows after these records; for ports that declare consumer."""
        view: Mapping[str, Any] = self.ask("render", events=list(events))
        return view

    def event_to_give(self, kind: str, payload: Mapping[str, Any]) -> PortEvent:
        """An event that the port makes when an operation is given it, each time."""
        return PortEvent({"kind": kind, "payload": dict(payload)})

    def plain(self, event: PortEvent) -> dict[str, Any]:
        """The plain form; of an event that a tap was handed, as it was then."""
        return dict(event.plain) if event.plain is not None else dict(self.ask("plain", event=event.data))

    def gate(self, name: str) -> PortGate:
        self._gates.add(self.gate_label(name))
        return PortGate(self, name)

    def tap(self, run: PortRun, callbacks: Sequence[Callable[..., object]]) -> PortTap:
        owner = getattr(callbacks[0], "__self__", None)
        name = owner.name if isinstance(owner, Subscriber) else f"tap-{next(self._numbers)}"
        label = f"{run.label}/{name}"
        self.ask("tap", run=run.label, tap=label, when=self._told(label, callbacks).moments())
        return PortTap(self, label)

    def parallel(self, scripts: Sequence[Sequence[Message]]) -> list[list[Message]]:
        """Perform lists of operations (requests without their id) at once, each on a thread of the port.

        The reply to each, with `ok` or `error`, `start` and `end`. Blocks until all have ended.
        """
        numbered = [[{"id": self.connection.new_id(), **operation} for operation in script] for script in scripts]
        replies: list[list[Message]] = self.ask("parallel", scripts=numbered)
        return replies

    # --- how the parts call each other --------------------------------------------------------------------------

    def ask(self, op: str, **fields: Any) -> Any:
        return self.connection.ask(op, **fields)

    def expect(self, op: str, on_reply: Callable[[Message | None], None]) -> int:
        id = self.connection.expect(op, on_reply, again=True)
        self._ids.append(id)
        return id

    def run_label(self, name: str) -> str:
        return f"{self._name}/{name}"

    def tap_label(self, run: str, tap: str) -> str:
        return f"{self.run_label(run)}/{tap}"

    def gate_label(self, name: str) -> str:
        label = f"{self._name}/{name}"
        self._listen("gate", label, lambda message: self.case.gate(name).arrive())
        self._gates.add(label)
        return label

    def made_now(self, kind: str) -> Message:
        return self.event_to_give(kind, example_payload(kind)).data

    def script(self, callback: Callable[..., object]) -> Message:
        """The callback as data, and its listener in place."""
        label = f"{self._name}/script-{next(self._numbers)}"
        if isinstance(callback, Callback):
            followed = Followed(self, callback)
            self._listen("script", label, followed)
            return {"name": label, "steps": followed.steps()}
        self._listen("script", label, Heard(callback))
        return {"name": label, "steps": []}

    def tap_to_come(self, run: str) -> tuple[Message, Decode]:
        """A tap that a step makes: the operation, and what becomes of its reply."""
        name = f"{run}.tap-{next(self._numbers)}"
        label = self.tap_label(run, name)
        subscriber = Subscriber(self.case, name, {})
        self._told(label, (subscriber.on_event, subscriber.on_done, subscriber.on_quit))
        fields = {"op": "tap", "run": self.run_label(run), "tap": label, "when": []}
        return fields, lambda reply: self.case.runs[run].adopt(subscriber, PortTap(self, label))

    def handed(self, tap: str, nth: int, plain: Message) -> PortEvent:
        return PortEvent({"tap": tap, "nth": nth}, plain)

    def _told(self, label: str, callbacks: Sequence[Callable[..., object]]) -> Told:
        told = Told(self, label, callbacks)
        self._listen("tap", label, told)
        return told

    def _listen(self, kind: str, label: str, listener: Callable[[Message], None]) -> None:
        self._keys.add((kind, label))
        self.connection.listen(kind, label, listener)

    def _note_fault(self, fault: Fault) -> None:
        self.case.problems.append(fault)
        self.case.changes.notify()

    def said(self) -> list[str]:
        """The last lines that the port has written to stderr."""
        return self.connection.child.said()

    def fault(self) -> Fault | None:
        """What is wrong with the port. Asks it for an answer, which blocks for `seconds` at most."""
        if self.connection.fault is None and not self.connection.answers():
            self.connection.hangs("the check failed")
        return self.connection.fault

    # --- the end ------------------------------------------------------------------------------------------------

    def close(self, spoilt: bool = False) -> None:
        """Let go of everything, which opens all gates. A port that is `spoilt`, or still busy then, is not used again.

        Blocks until what was blocked at gates has returned, for `seconds` at most. Idempotent. A Fault when the port
        was due to end and does not end well.
        """
        if self._closed:
            return
        self._closed = True
        busy = spoilt or self.connection.fault is not None
        if not busy:
            try:
                self.ask("forget", runs=sorted(self._runs), events=sorted(self._events), gates=sorted(self._gates))
                busy = not self._at_rest()
            except (Fault, Refusal):
                busy = True
        if self._case is not None:
            self.connection.watchers.remove(self._note_fault)
        self.connection.forget(self._keys, self._ids)
        self._leave(self, busy)

    def _at_rest(self) -> bool:
        changes = self.case.changes if self._case is not None else None
        return changes is None or changes.until(lambda: not self.connection.waits_for_replies, self.connection.seconds)

    def _forget_dropped(self) -> None:
        """Let the port forget, now and then, what nobody can name any more: a race makes many runs and events."""
        if len(self._dropped) + len(self._dropped_events) >= FORGOTTEN_TOGETHER:
            runs, events = (_taken(dropped) for dropped in (self._dropped, self._dropped_events))
            self._runs -= set(runs)
            self._events -= set(events)
            self.ask("forget", runs=runs, events=events, gates=[])


def _taken(dropped: list[str]) -> list[str]:
    """What the list has now; what comes meanwhile stays in it."""
    return [dropped.pop() for _ in range(len(dropped))]
