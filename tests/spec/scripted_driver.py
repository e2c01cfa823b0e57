"""A small driver that plays scripts on runs of the reference: what it publishes is kept under spec/examples.

    python -m tests.spec.scripted_driver      writes the files anew

Its clock stands still but for a step with each event, so that the same script always gives the same file.
"""

import itertools
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from agent_run import Run, events

EXAMPLES = Path(__file__).parents[2] / "spec" / "examples"
START = datetime(2026, 8, 9, 13, 10, 8, 542283, tzinfo=UTC)
STEP = timedelta(milliseconds=125)
SECONDS = 10
Records = list[dict[str, Any]]


class Clock:
    def __init__(self) -> None:
        self._now = START

    def now(self) -> datetime:
        self._now += STEP
        return self._now


class Driver:
    """Drives one run: publishes what an agent loop would, and keeps count of rounds and attempts.

    It goes on when an event has been delivered, so that runs whose events meet on a parent always meet the same way.
    """

    def __init__(self, run_id: str, clock: Clock, observe: Callable[[dict[str, Any]], object] = id) -> None:
        self.run = Run(run_id)
        self.records: Records = []
        self._clock = clock
        self._round = 0
        self._attempts = itertools.count(1)
        self._attempt = 0
        self._observe = observe
        self._delivered: SimpleQueue[None] = SimpleQueue()
        self.run.events.tap(self._keep, lambda: self._delivered.put(None))
        self.emit("run-started", {"message-count": 1})

    def _keep(self, event: events.Event) -> None:
        self.records.append(event.plain())
        self._observe(self.records[-1])
        if not event.is_terminal:
            self._delivered.put(None)

    def emit(self, kind: str, payload: Mapping[str, Any]) -> None:
        assert self.run.emit(events.make(kind, dict(payload), self._clock.now()))
        self._delivered.get(timeout=SECONDS)

    def finish(self, kind: str, payload: Mapping[str, Any], **outcome: Any) -> Records:
        """End the run; all that it has published."""
        assert self.run.finish(events.make(kind, dict(payload), self._clock.now()), **outcome)
        self._delivered.get(timeout=SECONDS)
        return self.records

    # --- what the model says --------------------------------------------------------------------------------------

    def round(self) -> None:
        self._round += 1
        self._attempts = itertools.count(1)
        self.emit("round-started", {"round": self._round})

    def ask(self, *tokens: str, backend: int = 0) -> None:
        """Start an attempt, and stream what the backend says."""
        self._attempt = next(self._attempts)
        self.emit("attempt-started", {**self._numbers, "backend-index": backend, "model": f"model-{backend}"})
        for text in tokens:
            self.emit("token", {"text": text, **self._numbers})

    def fail(self, error: str, disposition: str, backend: int = 0) -> None:
        told = {"backend-index": backend, "error": error, "error-class": "connection", "disposition": disposition}
        self.emit("attempt-failed", {**self._numbers, **told})

    def succeed(self, reason: str = "stop", backend: int = 0) -> None:
        told = {"backend-index": backend, "finish-reason": reason, "usage": {"output": 7}}
        self.emit("attempt-succeeded", {**self._numbers, **told})

    def commit(self, text: str) -> None:
        self.emit("assistant-message", {"message": {"role": "assistant", "content": text}, "round": self._round})
        self.emit("turn-committed", {"round": self._round})

    def answer(self, *tokens: str, reason: str = "stop") -> None:
        """A turn that goes well."""
        self.ask(*tokens)
        self.succeed(reason)
        self.commit("".join(tokens))

    def discard(self, reason: str) -> None:
        self.emit("turn-discarded", {"reason": reason, "round": self._round})

    @property
    def _numbers(self) -> dict[str, int]:
        return {"round": self._round, "attempt": self._attempt}

    # --- what tools do --------------------------------------------------------------------------------------------

    def call(self, id: str, name: str, start: bool = True) -> None:
        self.emit("tool-call", {"id": id, "name": name, "arguments": {"query": id}, "round": self._round})
        if start:
            self.emit("tool-started", {"id": id, "name": name, "round": self._round})

    def abandon(self, id: str, name: str, reason: str, dispatched: bool) -> None:
        told = {"id": id, "name": name, "reason": reason, "dispatched": dispatched, "round": self._round}
        self.emit("tool-abandoned", told)


def retry(clock: Clock) -> Records:
    driver = Driver("run-retry", clock)
    driver.round()
    driver.ask("The capital ", "of Fra")
    driver.fail("connection reset", "retry-same")
    driver.ask("The cap")
    driver.fail("connection reset", "advance")
    driver.ask("Paris ", "is it.", backend=1)
    driver.succeed(backend=1)
    driver.commit("Paris is it.")
    return driver.finish("run-completed", {"final": "Paris is it.", "rounds": 1}, final="Paris is it.")


def limit(clock: Clock) -> Records:
    driver = Driver("run-limit", clock)
    driver.round()
    driver.answer("I look it up.", reason="tool_calls")
    driver.call("c1", "search")
    driver.emit("tool-result", {"id": "c1", "name": "search", "content": "nothing found", "round": 1})
    driver.round()
    driver.ask("I look ", "again.")
    driver.succeed("tool_calls")
    driver.emit("limit-reached", {"limit": "tool-rounds", "count": 2, "max": 1})
    driver.discard("limit")
    return driver.finish("run-completed", {"final": "I look it up.", "rounds": 2}, final="I look it up.")


def tools(clock: Clock) -> Records:
    driver = Driver("run-tools", clock)
    driver.round()
    driver.answer("Four calls.", reason="tool_calls")
    for id in ("c1", "c2", "c3"):
        driver.call(id, "search")
    driver.call("c4", "pay", start=False)
    driver.emit("tool-progress", {"id": "c2", "progress": 1, "total": 3, "round": 1})
    driver.emit("tool-result", {"id": "c3", "name": "search", "content": "found", "round": 1})
    driver.abandon("c1", "search", "deadline", dispatched=True)
    driver.run.cancel()
    driver.abandon("c2", "search", "cancelled", dispatched=True)
    driver.abandon("c4", "pay", "cancelled", dispatched=False)
    return driver.finish("run-cancelled", {"stage": "tools", "round": 1}, reason="cancelled")


def background(clock: Clock) -> Records:
    driver = Driver("run-background", clock)
    driver.round()
    driver.answer("I start two searches.", reason="tool_calls")
    for id in ("o1", "o2"):
        driver.emit("background-op-started", {"op-id": id, "op-kind": "search", "round": 1})
    driver.emit("run-parked", {"outstanding": 2, "ops": ["o1", "o2"], "round": 1})
    driver.emit("log", {"level": "info", "data": "waiting"})
    driver.emit("background-op-settled", {"op-id": "o2", "op-kind": "search", "round": 1})
    driver.emit("run-resumed", {"reason": "completion", "parked-seconds": 0.25, "round": 1})
    driver.emit("background-op-delivered", {"op-kind": "search", "op-id": "o2", "round": 1})
    driver.round()
    driver.answer("The second one was enough.")
    driver.emit("background-op-settled", {"op-id": "o1", "op-kind": "search", "collected": True, "round": 2})
    return driver.finish("run-completed", {"final": "The second one was enough.", "rounds": 2})


def children(clock: Clock) -> Records:
    parent = Driver("run-children", clock)

    def child(agent: str, run_id: str, call_id: str) -> Driver:
        told = {"agent-id": agent, "agent-type": "reader", "call-id": call_id}
        return Driver(run_id, clock, lambda record: parent.emit("subagent", {**told, "inner": record}))

    parent.round()
    parent.answer("I ask two readers.", reason="tool_calls")
    parent.call("c1", "read")
    parent.call("c2", "read")
    first, second = child("reader-1", "run-reader-1", "c1"), child("reader-2", "run-reader-2", "c2")
    first.round()
    first.ask("Chapter ", "one")  # it dies here, without a terminal
    second.round()
    second.answer("Chapter two is long.")
    second.finish("run-completed", {"final": "Chapter two is long."})
    again = child("reader-1", "run-reader-1-again", "c1")
    again.round()
    again.answer("Chapter one is short.")
    again.finish("run-completed", {"final": "Chapter one is short."})
    for id, text in (("c2", "Chapter two is long."), ("c1", "Chapter one is short.")):
        parent.emit("tool-result", {"id": id, "name": "read", "content": text, "round": 1})
    parent.round()
    parent.answer("Both are read.")
    return parent.finish("run-completed", {"final": "Both are read.", "rounds": 2}, final="Both are read.")


SCRIPTS: Mapping[str, Callable[[Clock], Records]] = {
    "retry": retry, "limit": limit, "tools": tools, "background": background, "children": children,
}  # fmt: skip


def transcript(name: str) -> str:
    """The file of an example, as its script gives it."""
    return "".join(f"{json.dumps(record)}\n" for record in SCRIPTS[name](Clock()))


if __name__ == "__main__":
    for name in SCRIPTS:
        (EXAMPLES / f"{name}.jsonl").write_text(transcript(name))
