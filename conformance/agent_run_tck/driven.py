"""A run of the implementation as the checks drive it: each operation is noted and its reply checked for its type."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from agent_run_tck.callbacks import Callback, Subscriber
from agent_run_tck.steps import Step
from agent_run_tck.values import STATUSES, word
from agent_run_tck.wire.faults import Fault

if TYPE_CHECKING:
    from agent_run_tck.case import Case


class Raised(AssertionError):
    """An operation of the implementation raised; that fails a check unless it expects a refusal."""


@frozen
class Observation:
    """What can be seen of a run at one moment, without waiting."""

    is_done: bool
    is_cancelled: bool
    result: str
    cancellation: str
    drained: str


@frozen
class AsIs:
    """A thing to be emitted, or to finish with, as it is: also a string, which else names the kind of an event."""

    thing: Any


class DrivenPromise:
    """A promise of the run."""

    def __init__(self, case: "Case", name: str, promise: Any) -> None:
        self.name = name
        self._case = case
        self._promise = promise

    @property
    def status(self) -> str:
        status = word(self._promise.status)
        assert status in STATUSES, f"{self.name}.status is {status!r}; it must be planned, kept or broken"
        return status

    @property
    def value(self) -> Any:
        """The value of a promise that is kept already."""
        assert self.status == "kept", f"{self.name} is {self.status}; it must be kept by now"
        return self._promise.value

    def value_if_any(self) -> Any:
        """The value at a moment at which there may be none; an exception is a proper answer then, as None is."""
        try:
            return self._promise.value
        except Exception:
            return None

    def kept(self) -> Any:
        """Wait for the promise to be kept; its value."""
        self._case.eventually(lambda: self.status != "planned", f"{self.name} is kept")
        return self.value

    def then(self, *steps: Step, name: str = "") -> Callback:
        """Register a continuation that notes its calls and follows `steps`."""
        callback = self._case.callback(*steps, name=name or f"continuation of {self.name}")
        callback.run = self._case.runs[self.name.partition(".")[0]]
        self.register(callback)
        return callback

    def register(self, callback: Callback) -> None:
        self._case.note(f"{self.name}.then({callback.name})")
        self._case.awaited |= self.name.endswith(".result")
        _call(f"{self.name}.then", lambda: self._promise.then(callback))

    @property
    def has_wait(self) -> bool:
        """Whether the implementation has a wait of its own."""
        return hasattr(self._promise, "wait")

    def times_out(self, timeout: float) -> None:
        """Wait for a promise that stays planned: it must end with a TimeoutError after `timeout` seconds."""
        try:
            value = self.wait(timeout)
        except TimeoutError:
            return
        raise AssertionError(
            f"a wait for {self.name}, which is planned, returned {value!r}; it must end with a timeout"
        )

    def wait(self, timeout: float) -> Any:
        """Wait as a thread does: the implementation's own `wait` where it has one, else made from `then`.

        Raises TimeoutError when the promise is not kept within `timeout` seconds.
        """
        self._case.awaited |= self.name.endswith(".result")
        own = getattr(self._promise, "wait", None)
        return own(timeout) if own is not None else self._wait_with_then(timeout)

    def _wait_with_then(self, timeout: float) -> Any:
        values: list[Any] = []
        self._promise.then(values.append)
        if not self._case.changes.until(lambda: values, timeout):
            raise TimeoutError(f"{self.name} was not kept within {timeout} s")
        return values[0]


class DrivenRun:
    """A run. Operations that reply true or false must reply just that; whatever they raise comes out as Raised."""

    def __init__(self, case: "Case", name: str, run_id: str | None, on_cancel: Callback | None) -> None:
        self.name = name
        self._case = case
        if on_cancel is not None:
            on_cancel.run = self
        given = {"run_id": run_id and repr(run_id), "on_cancel": on_cancel and on_cancel.name}
        case.note(f"{name} = create_run({', '.join(f'{key}={it}' for key, it in given.items() if it is not None)})")
        self.handle = _call("create_run", lambda: case.create_run(name, run_id, on_cancel))
        self.subscribers: dict[str, Subscriber] = {}
        self._taps: dict[str, Any] = {}

    @property
    def id(self) -> Any:
        return self.handle.id

    @property
    def is_done(self) -> bool:
        return self._flag("is_done")

    @property
    def is_cancelled(self) -> bool:
        return self._flag("is_cancelled")

    @property
    def result(self) -> DrivenPromise:
        return self._promise("result")

    @property
    def cancellation(self) -> DrivenPromise:
        return self._promise("cancellation")

    @property
    def drained(self) -> DrivenPromise:
        return self._promise("drained")

    def emit(self, event: Any = "log", payload: Mapping[str, Any] | None = None) -> bool:
        """Emit an event, or the smallest of the kind that a string names."""
        made = self._made(event, payload)
        return self._ask("emit", _label(event), lambda: self.handle.emit(made))

    def emit_many(self, count: int, kind: str = "log") -> None:
        """Emit the same event `count` times, noted as one operation; the adapter may have a faster way of its own."""
        event = self._case.event_to_give(kind)
        own = getattr(self.handle, "emit_many", None)
        entry = self._case.note(f"{self.name}.emit({kind}) {count} times")
        if own is not None:
            _call("emit_many", lambda: own(event, count))
        else:
            _call("emit", lambda: [self.handle.emit(event) for _ in range(count)])
        entry[2] = "returned"

    def finish(self, event: Any = "run-completed", /, **outcome: Any) -> bool:
        """Finish with an event, or with the smallest of the kind that a string names."""
        made = self._made(event)
        text = ", ".join([_label(event), *(f"{key}={value!r}" for key, value in outcome.items())])
        return self._ask("finish", text, lambda: self.handle.finish(made, **outcome))

    def work_begin(self) -> bool:
        return self._ask("work_begin", "", lambda: self.handle.work_begin())

    def work_done(self) -> Any:
        return self._do("work_done", "", lambda: self.handle.work_done())

    def cancel(self) -> None:
        self._do("cancel", "", lambda: self.handle.cancel())

    def tap(self, when: Mapping[int | str, Sequence[Step]] | None = None, name: str = "") -> Subscriber:
        """Subscribe; `when` says what the subscriber does at which moment (see Subscriber)."""
        name = name or f"{self.name}.tap{len(self.subscribers) + 1}"
        subscriber = self.subscribers[name] = Subscriber(self._case, name, when or {})
        subscriber.bind(self)
        callbacks = (subscriber.on_event, subscriber.on_done, subscriber.on_quit)
        self._taps[name] = self._do("tap", name, lambda: self.handle.tap(*callbacks))
        return subscriber

    def adopt(self, subscriber: Subscriber, tap: Any) -> Subscriber:
        """Take over a tap that was made in another process."""
        subscriber.bind(self)
        self.subscribers[subscriber.name] = subscriber
        self._taps[subscriber.name] = tap
        return subscriber

    def close(self, subscriber: Subscriber | str) -> None:
        """Close the tap of a subscriber."""
        name = subscriber if isinstance(subscriber, str) else subscriber.name
        # The callback may be the first to know: it runs before `tap` has returned the tap it belongs to.
        self._case.eventually(lambda: name in self._taps, f"tap() has returned the tap of {name}")
        self._do("close", name, lambda: self._taps[name].close())

    def then(self, promise: str) -> Callback:
        return self._promise(promise).then()

    def value(self, promise: str) -> Any:
        """The value of `result`, `cancellation` or `drained`; None while that is planned."""
        asked = self._promise(promise)
        return asked.value if asked.status == "kept" else None

    def observe(self) -> Observation:
        """The adapter may have a way of its own to ask for all of it at once."""
        own = getattr(self.handle, "observe", None)
        if own is not None:
            observed: Observation = _call("observe", own)
            return observed
        return Observation(
            self.is_done, self.is_cancelled, self.result.status, self.cancellation.status, self.drained.status
        )

    def look(self) -> tuple[Observation, Any]:
        """What can be seen, and the value of the result if that is kept. The adapter may ask for both at once."""
        own = getattr(self.handle, "look", None)
        if own is not None:
            looked: tuple[Observation, Any] = _call("observe", own)
            return looked
        seen = self.observe()
        return seen, self.result.value if seen.result == "kept" else None

    def _made(self, event: Any, payload: Mapping[str, Any] | None = None) -> Any:
        if isinstance(event, AsIs):
            return event.thing
        return self._case.event_to_give(event, payload) if isinstance(event, str) else event

    def _promise(self, name: str) -> DrivenPromise:
        return DrivenPromise(self._case, f"{self.name}.{name}", getattr(self.handle, name))

    def _flag(self, name: str) -> bool:
        value = _call(name, lambda: getattr(self.handle, name))
        assert isinstance(value, bool), f"{name} is {value!r}; it must be true or false"
        return value

    def _ask(self, operation: str, text: str, action: Callable[[], Any]) -> bool:
        __tracebackhide__ = True
        reply = self._do(operation, text, action)
        assert isinstance(reply, bool), f"{operation}({text}) replied {reply!r}; it must reply true or false"
        return reply

    def _do(self, operation: str, text: str, action: Callable[[], Any]) -> Any:
        __tracebackhide__ = True
        entry = self._case.note(f"{self.name}.{operation}({text})")
        entry[2] = "has not returned"
        try:
            reply = _call(f"{operation}({text})", action)
        except Raised as raised:
            entry[2] = f"raised {raised.__cause__!r}"
            raise
        entry[2] = "returned" if reply is None or operation == "tap" else repr(reply)
        return reply


def _call(what: str, action: Callable[[], Any]) -> Any:
    __tracebackhide__ = True
    try:
        return action()
    except Fault:
        raise  # nobody may take it for what the implementation says
    except BaseException as error:
        raise Raised(f"{what} raised {type(error).__name__}: {error}") from error


def _label(event: Any) -> str:
    if isinstance(event, AsIs):
        return repr(event.thing)
    return event if isinstance(event, str) else f"an event of class {type(event).__name__}"
