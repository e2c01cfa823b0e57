"""Callbacks as data: what the port follows for them, and what it tells of them, noted as if they were called here."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from agent_run_tck.callbacks import Callback, Subscriber
from agent_run_tck.driven import Raised
from agent_run_tck.steps import InThread, Operation, Step, Throw, Wait
from agent_run_tck.wire.connection import Message, error_of
from agent_run_tck.wire.faults import Refusal, SuiteFault
from agent_run_tck.wire.proxies import observation

if TYPE_CHECKING:
    from agent_run_tck.wire.session import Session

Decode = Callable[[Any], Any]


class Heard:
    """A function that follows no steps: the port calls nothing but its own notification, and the function is told."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function

    def __call__(self, message: Message) -> None:
        if message["note"] == "called":
            _tell(self._function, *message["arguments"])


class Followed:
    """A callback of the kit whose steps the port follows."""

    def __init__(self, session: "Session", callback: Callback) -> None:
        self._session = session
        self._callback = callback

    def __call__(self, message: Message) -> None:
        if message["note"] == "called":
            self._callback.begin(message["thread"], tuple(message["arguments"]))
        else:
            self._callback.end()

    def steps(self) -> list[Message]:
        return self._as_data(self._callback.steps)

    def _as_data(self, steps: Sequence[Step]) -> list[Message]:
        return [self._step(step) for step in steps]

    def _step(self, step: Step) -> Message:
        match step:
            case Throw(base):
                return {"op": "throw", "base": base}
            case Wait(gate):
                return {"op": "wait", "gate": self._session.gate_label(gate)}
            case InThread(inner):
                return {"op": "in_thread", "steps": self._as_data(inner)}
            case Operation():
                fields, decode = self.operation(step)
                op = fields["op"]
                return {"id": self._session.expect(op, lambda reply: self._replied(step, op, decode, reply)), **fields}

    def _replied(self, step: Operation, op: str, decode: Decode, reply: Message | None) -> None:
        if reply is None:
            return
        who = f"{step.name}, called by {self._callback.name},"
        error = error_of(op, reply)
        if error is None:
            self._callback.replied(who, lambda: decode(reply["ok"]))
        else:
            raised = Raised(f"{who} raised {error}") if isinstance(error, Refusal) else error
            self._callback.failed(raised)

    def operation(self, step: Operation) -> tuple[Message, Decode]:
        """The operation as data, and how its reply is read."""
        session, run = self._session, step.on or (self._callback.run and self._callback.run.name)
        if not run:
            raise SuiteFault(f"{self._callback.name} has no run to call {step.name} on")
        to: Message = {"run": session.run_label(run)}
        match step.name, step.args:
            case "emit", (kind,):
                return {"op": "emit", **to, "event": session.made_now(kind)}, _truth
            case "finish", (kind,):
                event = session.made_now(kind)
                return {"op": "finish", **to, "event": event, "outcome": dict(step.kwargs)}, _truth
            case "work_begin", ():
                return {"op": "work_begin", **to}, _truth
            case ("work_done" | "cancel") as op, ():
                return {"op": op, **to}, lambda reply: reply
            case "observe", ():
                return {"op": "observe", **to}, observation
            case "value", (promise,):
                return {"op": "observe", **to}, lambda seen: seen[promise].get("value")
            case "close", (name,):
                return {"op": "close_tap", "tap": session.tap_label(run, name)}, lambda reply: reply
            case "tap", ():
                return session.tap_to_come(run)
            case "then", (promise,):
                callback = session.case.callback(name=f"continuation of {run}.{promise}")
                fields = {"op": "then", **to, "promise": promise, "script": session.script(callback)}
                return fields, lambda reply: callback
        raise SuiteFault(f"{step} cannot be sent to a port")


class Told:
    """A subscriber of the kit, or three functions, to whom the port tells what the tap was handed."""

    def __init__(self, session: "Session", label: str, callbacks: Sequence[Callable[..., object]]) -> None:
        self._session = session
        self._label = label
        self._on_event, self._on_done, self._on_quit = callbacks
        owner = getattr(self._on_event, "__self__", None)
        self.subscriber = owner if isinstance(owner, Subscriber) else None
        self._count = 0

    def __call__(self, message: Message) -> None:
        match message["note"]:
            case "handed":
                for plain in message["events"]:
                    self._handed(plain, message["thread"])
            case "done" if self.subscriber is not None:
                self.subscriber.take("done", "done")
            case "quit" if self.subscriber is not None:
                self.subscriber.take("quit", f"quit ({message['message']})")
            case "done":
                _tell(self._on_done)
            case _:
                _tell(self._on_quit, Refusal(message["message"]))

    def moments(self) -> list[Message]:
        scripts = self.subscriber.scripts if self.subscriber is not None else {}
        return [{"at": at, "script": self._session.script(callback)} for at, callback in scripts.items()]

    def _handed(self, plain: Message, thread: str) -> None:
        event = self._session.handed(self._label, self._count, plain)
        self._count += 1
        if self.subscriber is not None:
            self.subscriber.take_event(event, plain, thread)
        else:
            _tell(self._on_event, event)


def _tell(function: Callable[..., object], *arguments: Any) -> None:
    """Call a plain function as a run calls a callback: what it throws is swallowed there as well."""
    with suppress(Exception):
        function(*arguments)


def _truth(reply: Any) -> bool:
    assert isinstance(reply, bool), f"replied {reply!r}; it must reply true or false"
    return reply
