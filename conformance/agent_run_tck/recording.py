"""Records a concurrent run of an implementation, step by step, as JSON Lines that the model can judge.

    recording = Recording(load("my_runs"), on_cancel=stop)
    run = recording.run            # use it in place of the implementation's own, from as many threads as you like
    ...
    recording.write(Path("my.jsonl"), settled=True)

`python tla/tools.py trace my.jsonl` then says whether the contract allows what happened, and `spec/trace.schema.json`
says what the lines mean. Who records nothing pays nothing: this wraps a run from outside.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from agent_run_tck.index import contract_version, taxonomy
from agent_run_tck.protocol import Handle, Implementation, Promise, Tap

TRACE_VERSION = 1
PROMISES = ("result", "cancellation", "drained")
ENVELOPE = ("kind", "ts", "run-id", "seq")
Record = dict[str, Any]


class Recorder:
    """The records, in the order in which one counter saw them. Any thread may call it; it blocks on no foreign code."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._records: list[Record] = []
        self._calls = 0
        self._in_flight: dict[int, str] = {}
        self._names: dict[str, int] = {}
        self._local = threading.local()

    def note(self, **fields: Any) -> None:
        """Write one record, numbered and with the name of the thread."""
        thread = self._thread()
        with self._lock:
            self._append(thread, fields)

    def called(self, operation: str, **arguments: Any) -> int:
        """Note that an operation is about to be called; the id of the call, from 1."""
        thread = self._thread()
        with self._lock:
            self._calls += 1
            self._in_flight[self._calls] = operation
            self._append(thread, {"call": operation, "id": self._calls, **arguments})
            return self._calls

    def returned(self, call: int, reply: Any, **more: Any) -> None:
        """Note that the call has returned."""
        thread = self._thread()
        with self._lock:
            del self._in_flight[call]
            self._append(thread, {"return": call, "reply": reply, **more})

    def handed(self, tap: int, plain: Mapping[str, Any]) -> None:
        """Note that a tap is handed an event; it is nobody's when its number belongs to no call."""
        call = _tag(plain)
        known = call is not None and 1 <= call <= self._calls
        self.note(tap=tap, handed=plain.get("seq"), of=call if known else None)

    def records(self, settled: bool, cut: bool = False) -> list[Record]:
        """All that was recorded up to now, and the end. RuntimeError when a call has not returned yet, unless cut."""
        with self._lock:
            if self._in_flight and not cut:
                calls = ", ".join(f"{operation} (id {call})" for call, operation in self._in_flight.items())
                raise RuntimeError(f"a recording ends when every call has returned; wait for {calls}")
            return [*self._records, {"n": len(self._records) + 1, "end": True, "settled": settled}]

    def _append(self, thread: str, fields: Mapping[str, Any]) -> None:
        self._records.append({"n": len(self._records) + 1, "thread": thread, **fields})

    def _thread(self) -> str:
        """The thread's name, with a number where another thread has the same."""
        if not hasattr(self._local, "name"):
            name = threading.current_thread().name
            with self._lock:
                often = self._names[name] = self._names.get(name, 0) + 1
            self._local.name = name if often == 1 else f"{name} #{often}"
        return str(self._local.name)


class RecordedPromise:
    """A promise of the run; asking for its status is recorded."""

    def __init__(self, name: str, promise: Promise, recorder: Recorder) -> None:
        self._name = name
        self._promise = promise
        self._recorder = recorder

    @property
    def status(self) -> Any:
        return _ask(self._recorder, self._name, lambda: self._promise.status)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._promise, name)


class RecordedTap:
    """A tap of the run; closing it is recorded."""

    def __init__(self, number: int, tap: Tap, recorder: Recorder) -> None:
        self._number = number
        self._tap = tap
        self._recorder = recorder

    def close(self) -> None:
        with _call(self._recorder, "close", tap=self._number):
            self._tap.close()


class RecordedRun:
    """A handle that passes every operation on to the implementation's own, and writes down the call and its return.

    May be used as that handle may, from the same threads, and blocks where it does. An event is remade, with a `ts` of
    its own and with the id of its emit or finish in a field that its kind has to spare, so that each delivery can be
    told. ValueError, before anything is recorded, for a kind that has no such field.
    """

    def __init__(self, implementation: Implementation, handle: Handle, recorder: Recorder) -> None:
        self._adapter = implementation.adapter
        self._handle = handle
        self._recorder = recorder
        self._taps = 0
        self._numbering = threading.Lock()
        for name in PROMISES:
            getattr(handle, name).then(partial(self._kept, name))

    @property
    def id(self) -> str:
        return self._handle.id

    @property
    def is_done(self) -> Any:
        return _ask(self._recorder, "is_done", lambda: self._handle.is_done)

    @property
    def is_cancelled(self) -> Any:
        return _ask(self._recorder, "is_cancelled", lambda: self._handle.is_cancelled)

    @property
    def result(self) -> RecordedPromise:
        return self._promise("result")

    @property
    def cancellation(self) -> RecordedPromise:
        return self._promise("cancellation")

    @property
    def drained(self) -> RecordedPromise:
        return self._promise("drained")

    def observe(self) -> None:
        """Look at is_done, is_cancelled and drained, one after the other."""
        _ = self.is_done, self.is_cancelled, self.drained.status

    def emit(self, event: Any) -> Any:
        return self._give("emit", event, self._handle.emit)

    def finish(self, event: Any, /, **outcome: Any) -> Any:
        return self._give("finish", event, partial(self._handle.finish, **outcome))

    def work_begin(self) -> Any:
        return _ask(self._recorder, "work_begin", self._handle.work_begin)

    def work_done(self) -> Any:
        return _ask(self._recorder, "work_done", self._handle.work_done)

    def cancel(self) -> None:
        with _call(self._recorder, "cancel"):
            self._handle.cancel()

    def tap(
        self,
        on_event: Callable[[Any], object],
        on_done: Callable[[], object] = lambda: None,
        on_quit: Callable[[BaseException], object] = lambda error: None,
    ) -> RecordedTap:
        with self._numbering:
            self._taps += 1
            number = self._taps

        def handed(event: Any) -> None:
            plain = self._adapter.plain(event)
            self._recorder.handed(number, plain)
            try:
                on_event(event)
            finally:
                self._recorder.note(tap=number, let_go=plain.get("seq"))

        def done() -> None:
            self._recorder.note(tap=number, done=True)
            on_done()

        def quit_(error: BaseException) -> None:
            self._recorder.note(tap=number, quit=repr(error))
            on_quit(error)

        with _call(self._recorder, "tap", tap=number):
            return RecordedTap(number, self._handle.tap(handed, done, quit_), self._recorder)

    def _give(self, operation: str, event: Any, give: Callable[[Any], Any]) -> Any:
        plain = self._adapter.plain(event)
        field = _tag_field(plain["kind"])
        payload = {key: value for key, value in plain.items() if key not in ENVELOPE}
        with _call(self._recorder, operation, kind=plain["kind"]) as call:
            payload[field["name"]] = call.id if field["type"] == "integer" else str(call.id)
            return call.replied(give(self._adapter.make_event(plain["kind"], payload)))

    def _promise(self, name: str) -> RecordedPromise:
        return RecordedPromise(name, getattr(self._handle, name), self._recorder)

    def _kept(self, name: str, value: Any) -> None:
        if isinstance(value, Mapping) and "outcome" in value:
            value = value["outcome"]
        self._recorder.note(kept=name, value=_plain(value))


class Recording:
    """One run of an implementation that is written down, with or without a hook on cancel."""

    def __init__(
        self,
        implementation: Implementation,
        run_id: str | None = None,
        on_cancel: Callable[[], object] | None = None,
    ) -> None:
        self._implementation = implementation
        self._has_hook = on_cancel is not None
        self._recorder = Recorder()
        hook = None if on_cancel is None else partial(self._hook, on_cancel)
        handle = implementation.adapter.create_run(run_id, hook)
        self.run = RecordedRun(implementation, handle, self._recorder)

    def records(self, settled: bool = False, cut: bool = False) -> list[Record]:
        """The header and what was recorded up to now. Never blocks; RuntimeError when a call has not returned yet.

        `settled` says that whoever records has waited for all that the run owes, so that the model may miss it; `cut`
        that a call may be missing its return.
        """
        capabilities = self._implementation.capabilities
        # What is called in another process is told on a thread of the kit, which says nothing about the hook's.
        header = {
            "trace": TRACE_VERSION,
            "contract": contract_version(),
            "implementation": self._implementation.name,
            "hook": self._has_hook,
            "threads": capabilities.threads and capabilities.in_process,
        }
        return [header, *self._recorder.records(settled, cut)]

    def write(self, path: Path, settled: bool = False) -> None:
        """Write `records` to a file, one a line."""
        lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in self.records(settled))
        path.write_text("".join(lines), encoding="utf-8")

    def _hook(self, on_cancel: Callable[[], object]) -> None:
        self._recorder.note(hook="called")
        try:
            on_cancel()
        finally:
            self._recorder.note(hook="returned")


class _Call:
    def __init__(self, id: int) -> None:
        self.id = id
        self.reply: Any = None

    def replied(self, reply: Any) -> Any:
        self.reply = reply
        return reply


@contextmanager
def _call(recorder: Recorder, operation: str, **arguments: Any) -> Iterator[_Call]:
    call = _Call(recorder.called(operation, **arguments))
    try:
        yield call
    except BaseException as error:
        recorder.returned(call.id, "refused", error=f"{type(error).__name__}: {error}")
        raise
    recorder.returned(call.id, _plain(call.reply))


def _ask(recorder: Recorder, operation: str, ask: Callable[[], Any]) -> Any:
    with _call(recorder, operation) as call:
        return call.replied(ask())


def _plain(value: Any) -> bool | str | None:
    """What was answered, as far as the contract knows such an answer; anything else as text."""
    return value if value is None or isinstance(value, bool | str) else repr(value)


def _tag_field(kind: str) -> Mapping[str, Any]:
    """The field of the kind that may hold the number of the call."""
    for field in taxonomy()[kind]["fields"]:
        if field["presence"] == "optional" and field["type"] in ("integer", "string") and "values" not in field:
            return dict(field)
    raise ValueError(f"an event of kind {kind} has no field to spare for the number of its call; record a log instead")


def _tag(plain: Mapping[str, Any]) -> int | None:
    """The number of the call that an event came from, None for an event that nobody gave."""
    if plain["kind"] not in taxonomy():
        return None
    text = str(plain.get(_tag_field(plain["kind"])["name"], ""))
    return int(text) if text.isdecimal() else None
