"""The model of a port: a Python implementation behind the wire protocol of `spec/protocol.md`.

    pytest conformance --impl="exec:python conformance/ports/model_port.py agent_run"

A port in another language has the same parts: it reads requests from stdin, one a line, performs each on a thread of
its own, because any of them may block, and writes replies and notifications to stdout. Everything else goes to stderr.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from typing import Any

from agent_run_tck.loading import CannotLoad, load

TERMINAL = ("run-completed", "run-failed", "run-cancelled")
CAPABILITIES = ("threads", "buffers_gaps", "events", "given_ts", "consumer")
PROMISES = ("result", "cancellation", "drained")
MOST_THREADS = 10_000
# Python lets a thread run on for longer than an operation takes, so that threads would not race.
SWITCHING_SECONDS, RACING_SECONDS = sys.getswitchinterval(), 1e-6
Message = dict[str, Any]


class BadRequest(Exception):
    """A request that this port makes no sense of."""


class Thrown(Exception):
    """What a callback throws when its script says so."""


class Subscriber:
    """What a tap calls: it notifies, and follows the scripts of the moment."""

    def __init__(self, port: "Port", ask: Message) -> None:
        self.run = ask["run"]
        self.handed: list[Any] = []
        self.subscription: Future[Any] = Future()  # a callback may close its tap before tap() has returned it
        self._port = port
        self._label = ask["tap"]
        self._scripts = {moment["at"]: moment["script"] for moment in ask["when"]}

    def on_event(self, event: Any) -> None:
        nth, plain = len(self.handed), self._port.adapter.plain(event)
        self.handed.append(event)
        self._notify("handed", events=[plain])
        self._follow(nth, plain["kind"], *(["terminal"] if plain["kind"] in TERMINAL else []))

    def on_done(self) -> None:
        self._notify("done")
        self._follow("done")

    def on_quit(self, error: BaseException | None = None) -> None:
        self._notify("quit", message=repr(error))

    def _notify(self, note: str, **fields: Any) -> None:
        self._port.send({"note": note, "tap": self._label, "thread": this_thread(), **fields})

    def _follow(self, *moments: int | str) -> None:
        for moment in moments:
            if moment in self._scripts:
                self._port.callback(self._scripts[moment])()


class Port:
    """The runs of one child process, and the operations on them."""

    def __init__(self, spec: str) -> None:
        self.implementation = load(spec)
        self.adapter: Any = self.implementation.adapter
        self._runs: dict[str, Any] = {}
        self._taps: dict[str, Subscriber] = {}
        self._events: dict[str, Any] = {}
        self._gates: dict[str, threading.Event] = {}
        self._writing = threading.Lock()
        self._operations: dict[str, Callable[[Message], Any]] = {
            "hello": self._hello, "create": self._create, "emit": self._emit, "finish": self._finish,
            "work_begin": lambda ask: self._run(ask).work_begin(), "work_done": lambda ask: self._run(ask).work_done(),
            "cancel": lambda ask: self._run(ask).cancel(), "tap": self._tap, "close_tap": self._close_tap,
            "then": self._then, "wait": self._wait, "open_gate": lambda ask: self._gate(ask["gate"]).set(),
            "observe": self._observe, "render": lambda ask: self.adapter.render(ask["events"]),
            "parallel": self._parallel, "plain": lambda ask: self.adapter.plain(self._event(ask["event"])),
            "forget": self._forget, "bye": lambda ask: None,
        }  # fmt: skip

    # --- lines --------------------------------------------------------------------------------------------------

    def serve(self) -> None:
        """Answer what comes, until bye or the end of stdin. An operation may block, so each has a thread."""
        with ThreadPoolExecutor(MOST_THREADS) as threads:
            for line in sys.stdin.buffer:
                threads.submit(self.answer, json.loads(line))
            os._exit(0)

    def send(self, message: Message) -> None:
        line = json.dumps(message, ensure_ascii=False, separators=(",", ":"), default=sendable).encode() + b"\n"
        with self._writing:
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()

    def answer(self, request: Message) -> BaseException | None:
        """Perform a request, or an operation of a script, and send its reply; what it raised."""
        reply, error = self._perform(request)
        self.send(reply)
        if request["op"] == "bye":
            os._exit(0)
        return error

    def _perform(self, request: Message) -> tuple[Message, BaseException | None]:
        id, op = request["id"], request["op"]
        if op not in self._operations:
            return {"id": id, "error": {"code": "unsupported", "message": f"this port has no {op}"}}, BadRequest(op)
        try:
            return {"id": id, "ok": self._operations[op](request)}, None
        except BadRequest as error:
            return {"id": id, "error": {"code": "bad_request", "message": str(error)}}, error
        except BaseException as error:
            message = f"{type(error).__name__}: {error}"
            return {"id": id, "error": {"code": "raised", "message": message}}, error

    # --- scripts ------------------------------------------------------------------------------------------------

    def callback(self, script: Message) -> Callable[..., None]:
        """A hook, a continuation, or what a subscriber does at a moment."""
        name = script["name"]

        def call(*arguments: Any) -> None:
            self.send({"note": "called", "script": name, "thread": this_thread(), "arguments": arguments})
            try:
                self._follow(script["steps"])
            finally:
                self.send({"note": "returned", "script": name, "thread": this_thread()})

        return call

    def _follow(self, steps: list[Message]) -> None:
        for step in steps:
            match step["op"]:
                case "throw":
                    raise SystemExit("on purpose") if step.get("base") else Thrown("on purpose")
                case "wait":
                    self.send({"note": "waiting", "gate": step["gate"], "thread": this_thread()})
                    self._gate(step["gate"]).wait()
                case "in_thread":
                    together([lambda steps=step["steps"]: self._follow(steps)])  # type: ignore[misc]
                case _:
                    if error := self.answer(step):
                        raise error

    def _parallel(self, ask: Message) -> list[list[Message]]:
        line, replies = threading.Barrier(len(ask["scripts"])), [list[Message]() for _ in ask["scripts"]]

        def perform(operations: list[Message], into: list[Message]) -> None:
            line.wait()
            for operation in operations:
                start = time.monotonic()
                reply, _ = self._perform(operation)
                into.append({**reply, "start": start, "end": time.monotonic()})

        pairs = zip(ask["scripts"], replies, strict=True)
        sys.setswitchinterval(RACING_SECONDS)
        try:
            together([lambda pair=pair: perform(*pair) for pair in pairs])  # type: ignore[misc]
        finally:
            sys.setswitchinterval(SWITCHING_SECONDS)
        return replies

    # --- operations ---------------------------------------------------------------------------------------------

    def _hello(self, ask: Message) -> Message:
        of = self.implementation
        declared = {name: getattr(of.capabilities, name) for name in CAPABILITIES}
        capabilities = {name: value for name, value in declared.items() if value is not None}
        capabilities["waits"] = hasattr(self.adapter.create_run().result, "wait")
        who = {"name": of.name, "version": of.version, "language": "Python"}
        return {"protocol": 1, "contract": ask["contract"], **who, "capabilities": capabilities}

    def _create(self, ask: Message) -> None:
        hook = self.callback(ask["hook"]) if "hook" in ask else None
        self._runs[ask["run"]] = self.adapter.create_run(ask.get("run_id"), hook)

    def _emit(self, ask: Message) -> Any:
        run, event = self._run(ask), self._event(ask["event"])
        replies = [run.emit(event) for _ in range(ask.get("count", 1))]
        return next((reply for reply in replies if reply is not True), True)

    def _finish(self, ask: Message) -> Any:
        return self._run(ask).finish(self._event(ask["event"]), **ask["outcome"])

    def _tap(self, ask: Message) -> None:
        run = self._run(ask)
        subscriber = self._taps[ask["tap"]] = Subscriber(self, ask)
        subscriber.subscription.set_result(run.tap(subscriber.on_event, subscriber.on_done, subscriber.on_quit))

    def _close_tap(self, ask: Message) -> None:
        known(self._taps, ask["tap"]).subscription.result().close()

    def _then(self, ask: Message) -> None:
        getattr(self._run(ask), ask["promise"]).then(self.callback(ask["script"]))

    def _wait(self, ask: Message) -> Message:
        try:
            return {"kept": True, "value": getattr(self._run(ask), ask["promise"]).wait(ask["seconds"])}
        except TimeoutError:
            return {"kept": False}

    def _observe(self, ask: Message) -> Message:
        run = self._run(ask)
        promises = {name: self._state(getattr(run, name)) for name in PROMISES}
        return {"id": run.id, "is_done": run.is_done, "is_cancelled": run.is_cancelled, **promises}

    def _state(self, promise: Any) -> Message:
        status = promise.status
        return {"status": status, "value": promise.value} if status == "kept" else {"status": status}

    def _forget(self, ask: Message) -> None:
        for gate in ask["gates"]:
            self._gate(gate).set()
        taps = [label for label, tap in list(self._taps.items()) if tap.run in ask["runs"]]
        gone = {"runs": self._runs, "events": self._events, "gates": self._gates, "taps": self._taps}
        for what, those in gone.items():
            for label in taps if what == "taps" else ask[what]:
                those.pop(label, None)

    # --- what requests name -------------------------------------------------------------------------------------

    def _run(self, ask: Message) -> Any:
        return known(self._runs, ask["run"])

    def _gate(self, label: str) -> threading.Event:
        return self._gates.setdefault(label, threading.Event())

    def _event(self, event: Message) -> Any:
        if "value" in event:
            return event["value"]
        if "tap" in event:
            return known(self._taps, event["tap"]).handed[event["nth"]]
        if "name" not in event:
            return self._made(event)
        if event["name"] not in self._events:
            self._events[event["name"]] = self._made(event)
        return self._events[event["name"]]

    def _made(self, event: Message) -> Any:
        kind, payload = event["kind"], event["payload"]
        if "ts" in event:
            return self.adapter.make_event_at(kind, payload, datetime.fromisoformat(event["ts"]))
        return self.adapter.make_event(kind, payload)


def sendable(value: Any) -> Any:
    """What JSON has no form for: maps of whatever class are maps, everything else is sent as text."""
    return dict(value) if isinstance(value, Mapping) else repr(value)


def this_thread() -> str:
    return str(threading.get_ident())


def together(actions: list[Callable[[], object]]) -> None:
    """Call each action on a thread of its own, and wait until all have ended."""
    threads = [threading.Thread(target=action, daemon=True) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def known(those: dict[str, Any], label: str) -> Any:
    if label not in those:
        raise BadRequest(f"nothing here is called {label}")
    return those[label]


def main() -> None:
    spec = sys.argv[1] if len(sys.argv) > 1 else "agent_run"
    try:
        port = Port(spec)
    except CannotLoad as problem:
        sys.exit(str(problem))
    port.serve()


if __name__ == "__main__":
    main()
