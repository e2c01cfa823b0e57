"""What an implementation looks like to the kit. Structural types: nothing has to be inherited or registered.

An adapter is any object with `create_run`, `make_event` and `plain`; `name`, `version` and `capabilities` are optional.
The capabilities `consumer`, `given_ts` and `star_import` ask for more; the protocols below say what.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from attrs import frozen

ADAPTER_OPERATIONS = ("create_run", "make_event", "plain")
HANDLE_OPERATIONS = ("emit", "finish", "work_begin", "work_done", "cancel", "tap")
HANDLE_ATTRIBUTES = ("id", "is_done", "is_cancelled", "result", "cancellation", "drained")
PROMISE_OPERATIONS = ("status", "then")  # `value` may raise on a promise that is planned, so it is not probed


class Promise(Protocol):
    """`status` is `planned`, `kept` or `broken`. `wait(timeout)`, which raises TimeoutError, is optional."""

    @property
    def status(self) -> str: ...
    @property
    def value(self) -> Any: ...
    def then(self, continuation: Callable[[Any], object], /) -> object: ...


class Tap(Protocol):
    def close(self) -> object: ...


class Handle(Protocol):
    """One run. All of it is called from any thread unless the adapter says that it has no threads."""

    @property
    def id(self) -> str: ...
    @property
    def is_done(self) -> bool: ...
    @property
    def is_cancelled(self) -> bool: ...
    @property
    def result(self) -> Promise: ...
    @property
    def cancellation(self) -> Promise: ...
    @property
    def drained(self) -> Promise: ...
    def emit(self, event: Any, /) -> bool: ...
    def finish(self, event: Any, /, **outcome: Any) -> bool: ...
    def work_begin(self) -> bool: ...
    def work_done(self) -> None: ...
    def cancel(self) -> None: ...
    def tap(
        self,
        on_event: Callable[[Any], object],
        on_done: Callable[[], object],
        on_quit: Callable[[BaseException], object],
        /,
    ) -> Tap: ...


class Adapter(Protocol):
    def create_run(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> Handle: ...
    def make_event(self, kind: str, payload: Mapping[str, Any], /) -> Any:
        """An unpublished event; payload keys are wire names (with hyphens).

        Raises what the implementation raises, now and not when the event is used (EVENT-3, EVENT-4).
        """

    def plain(self, event: Any, /) -> dict[str, Any]:
        """The plain form of an event: kind, ts, the payload, and run-id and seq once published."""


class EventsOfAnyTime(Protocol):
    """What an adapter with the capability `given_ts` has besides."""

    def make_event_at(self, kind: str, payload: Mapping[str, Any], ts: datetime, /) -> Any:
        """An unpublished event that was created at `ts`, which has a time zone of its own."""


class StarImport(Protocol):
    """What an adapter with the capability `star_import` has besides."""

    event_module: str
    """The module that a program imports for the event classes."""


class Consumer(Protocol):
    """What an adapter with the capability `consumer` has besides."""

    def render(self, events: Sequence[Mapping[str, Any]], /) -> Mapping[str, Any]:
        """The view after these records, which are a stream from its beginning, handed one by one to a fresh consumer.

        The records are plain forms with run-id, seq and ts, and are not to be changed. The view is plain data, as
        in spec/streams.md: `conversation` (the texts of the committed messages, in order), `streaming` (the text of
        the open scope, "" where there is none), `calls` (from the id of a call to `proposed`, `running`, `answered`,
        `failed`, `not-run` or `unknown`), `ended` (null, or the kind of the terminal), and perhaps `children` (from
        agent-id to the view of that child). Other keys are not looked at. The suite asks for every prefix of a
        stream, so calls must not depend on each other; they come from one thread. Serves VIEW-1 to VIEW-7.
        """


@frozen
class Capabilities:
    """What an implementation declares. A declared capability binds; without one the checks that need it do not apply.

    `threads`: operations may come from any thread, and a callback may block without stopping the others.
    `buffers_gaps`: what is published while every tap is closed waits for the next tap (decision 8); None: not declared.
    `events`: profile `events` binds it; a module with the reference's names claims this without a word.
    `given_ts`: the adapter has `make_event_at`, because events can be made for a moment that is given.
    `star_import`: the adapter has `event_module`, because there is a module with event classes to import from.
    `consumer`: the adapter has `render`, and profile `consumer` binds it.
    `in_process`: it is in the process of the suite. Nobody declares it: only what stands behind `exec:` is not.
    """

    threads: bool = True
    buffers_gaps: bool | None = None
    events: bool = False
    given_ts: bool = False
    star_import: bool = False
    consumer: bool = False
    in_process: bool = True


@frozen
class Implementation:
    """An adapter that was loaded and probed, with what it says of itself."""

    spec: str
    adapter: Adapter
    name: str
    version: str
    capabilities: Capabilities
