"""What the checks hold in the place of what is in the port: runs, promises, taps, events and gates."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from agent_run_tck.driven import Observation
from agent_run_tck.steering import Gate
from agent_run_tck.wire.connection import Message

if TYPE_CHECKING:
    from agent_run_tck.wire.session import Session


class PortEvent:
    """An event in the port: made from kind and payload there, or one that a tap was handed."""

    def __init__(self, data: Message, plain: Message | None = None) -> None:
        self.data = data
        self.plain = plain


class PortPromise:
    """A promise of a run in the port. All of it may be used from any thread, and blocks for a round trip."""

    def __init__(self, run: "PortRun", name: str) -> None:
        self._run = run
        self._name = name

    @property
    def status(self) -> str:
        return str(self._state["status"])

    @property
    def value(self) -> Any:
        """The value. LookupError while there is none."""
        return self._state["value"]

    def then(self, continuation: Callable[[Any], object]) -> None:
        """A callback of the kit follows its steps in the port; any other function is told, and must not ask."""
        self._run.ask("then", promise=self._name, script=self._run.session.script(continuation))

    @property
    def _state(self) -> Message:
        state: Message = self._run.seen()[self._name]
        return state


class WaitingPromise(PortPromise):
    """One of a port whose implementation has a wait of its own."""

    def wait(self, timeout: float) -> Any:
        """The value. Blocks in the port for `timeout` seconds at most, then raises TimeoutError."""
        end = self._run.ask("wait", promise=self._name, seconds=timeout)
        if not end["kept"]:
            raise TimeoutError(f"{self._name} was not kept within {timeout} s")
        return end["value"]


class PortTap:
    def __init__(self, session: "Session", label: str) -> None:
        self._session = session
        self._label = label

    def close(self) -> Any:
        return self._session.ask("close_tap", tap=self._label)


class PortRun:
    """A run in the port. Any thread may use it; everything blocks for a round trip, or as long as the run does."""

    def __init__(self, session: "Session", label: str) -> None:
        self.session = session
        self.label = label

    # Made when they are asked for: a run that holds them, and they it, would be forgotten late.
    @property
    def result(self) -> PortPromise:
        return self.session.promise(self, "result")

    @property
    def cancellation(self) -> PortPromise:
        return self.session.promise(self, "cancellation")

    @property
    def drained(self) -> PortPromise:
        return self.session.promise(self, "drained")

    @property
    def id(self) -> Any:
        return self.seen()["id"]

    @property
    def is_done(self) -> Any:
        return self.seen()["is_done"]

    @property
    def is_cancelled(self) -> Any:
        return self.seen()["is_cancelled"]

    def ask(self, op: str, **fields: Any) -> Any:
        return self.session.ask(op, run=self.label, **fields)

    def seen(self) -> Message:
        """All that can be seen of the run at this moment."""
        seen: Message = self.ask("observe")
        return seen

    def observe(self) -> Observation:
        """The same as the kit calls it, in one round trip."""
        return observation(self.seen())

    def look(self) -> tuple[Observation, Any]:
        """The same, and the value of the result, in one round trip."""
        seen = self.seen()
        return observation(seen), seen["result"].get("value")

    def emit(self, event: Any) -> Any:
        return self.ask("emit", event=as_data(event))

    def emit_many(self, event: Any, count: int) -> Any:
        return self.ask("emit", event=as_data(event), count=count)

    def finish(self, event: Any, /, **outcome: Any) -> Any:
        return self.ask("finish", event=as_data(event), outcome=outcome)

    def work_begin(self) -> Any:
        return self.ask("work_begin")

    def work_done(self) -> Any:
        return self.ask("work_done")

    def cancel(self) -> Any:
        return self.ask("cancel")

    def tap(self, *callbacks: Callable[..., object]) -> PortTap:
        """A subscriber of the kit follows its scripts in the port; other functions are told, and must not ask."""
        return self.session.tap(self, callbacks)


class PortGate(Gate):
    """A gate at which callbacks in the port stand."""

    def __init__(self, session: "Session", name: str) -> None:
        super().__init__(name, session.case.changes)
        self._session = session

    def open(self) -> None:
        super().open()
        self._session.ask("open_gate", gate=self._session.gate_label(self.name))


def observation(seen: Message) -> Observation:
    statuses = (seen[name]["status"] for name in ("result", "cancellation", "drained"))
    return Observation(seen["is_done"], seen["is_cancelled"], *statuses)


def as_data(event: Any) -> Message:
    """An event as an operation is given it; what is none goes as it is."""
    return event.data if isinstance(event, PortEvent) else {"value": event}
