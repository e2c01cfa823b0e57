"""Records concurrent runs of both implementations: `python tla/record_traces.py` writes traces/good/ anew.

Threads, and so the recordings, differ from one time to the next; what they have to show does not.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import random
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from agent_run_tck.index import example_payload
from agent_run_tck.loading import load
from agent_run_tck.protocol import Implementation
from agent_run_tck.recording import RecordedTap, Recording
from agent_run_tck.steering import Changes, Gate, Task

HERE = Path(__file__).resolve().parent
GOOD = HERE / "traces" / "good"
IMPLEMENTATIONS = {"reference": "agent_run", "asyncio": str(HERE.parent / "conformance" / "ports" / "asyncio_run.py")}
WAIT = 10.0
TERMINALS = ("run-completed", "run-failed", "run-cancelled")
Action = Callable[[], object]


class Thrown(Exception):
    """What a callback raises on purpose."""


class Session:
    """A run that is recorded, and what its scenario needs to drive it from several threads."""

    def __init__(self, implementation: Implementation, seed: int = 0, hook: Action | None = None) -> None:
        self.recording = Recording(implementation, on_cancel=hook)
        self.run = self.recording.run
        self.random = random.Random(seed)
        self.changes = Changes()
        self._adapter = implementation.adapter
        self._waits: list[tuple[Action, str]] = []
        self._numbers = itertools.count(1)

    def emit(self, kind: str = "log") -> Any:
        return self.run.emit(self._adapter.make_event(kind, example_payload(kind)))

    def emits(self, times: int) -> None:
        """Emit so often, or until the run is over."""
        any(self.emit() is False for _ in range(times))

    def finish(self, kind: str = "run-completed") -> Any:
        return self.run.finish(self._adapter.make_event(kind, example_payload(kind)))

    def section(self, inside: Action) -> None:
        """Work in a section if one is granted."""
        if self.run.work_begin():
            inside()
            self.run.work_done()

    def tap(self, on_event: Callable[[Any], object] = lambda event: None, ends: bool = True) -> RecordedTap:
        """Subscribe; `ends` says that the recording has to wait for its done."""
        done = threading.Event()
        if ends:
            self._waits.append((done.is_set, f"tap {next(self._numbers)} is told done"))
        return self.run.tap(on_event, done.set)

    def refused(self, give: Callable[[str], Any], kind: str) -> None:
        """Give the run an event of a kind that it has to refuse."""
        with contextlib.suppress(Exception):
            give(kind)

    def race(self, *actions: Action) -> None:
        """Do the actions at once, each on a thread of its own; block until all have ended."""
        line = threading.Barrier(len(actions))

        def from_the_line(action: Action) -> None:
            line.wait(WAIT)
            action()

        tasks = [Task(partial(from_the_line, action), f"worker {n}") for n, action in enumerate(actions, 1)]
        for task in tasks:
            task.outcome(WAIT, "a worker")

    def until(self, condition: Action, what: str) -> None:
        if not self.changes.until(condition, WAIT):
            raise RuntimeError(f"within {WAIT:g} s it never came that {what}")

    def settle(self) -> Recording:
        """Wait for all that a finished run owes: continuations called, every tap told done."""
        owed = {"result", "drained"} | ({"cancellation"} if self.run.is_cancelled else set())
        for condition, what in self._waits:
            self.until(condition, what)
        self.until(lambda: owed <= {record.get("kept") for record in self.recording.records()}, f"{owed} are kept")
        return self.recording


def _each(times: int, *actions: Action) -> Action:
    return lambda: [action() for _ in range(times) for action in actions]


def emitters_race_finish(implementation: Implementation, seed: int) -> Recording:
    session = Session(implementation, seed)
    session.tap()
    finish = _each(1, partial(session.emits, 3), session.finish, session.emit)
    session.race(*[partial(session.emits, 8)] * 4, finish, _each(3, session.run.observe))
    return session.settle()


def cancels_race_finish(implementation: Implementation, seed: int) -> Recording:
    session = Session(implementation, seed, hook=lambda: session.run.observe())
    session.tap()
    finishes = [_each(1, session.emit, partial(session.finish, kind)) for kind in TERMINALS]
    session.race(*[_each(2, session.run.cancel)] * 3, *finishes, _each(3, session.run.observe))
    return session.settle()


def sections_race_finish(implementation: Implementation, seed: int) -> Recording:
    session = Session(implementation, seed)
    session.tap()
    work = partial(session.section, partial(session.emits, 1))
    session.race(*[_each(4, work)] * 3, _each(1, work, session.finish), _each(4, session.run.observe))
    return session.settle()


def taps_come_and_close(implementation: Implementation, seed: int) -> Recording:
    session = Session(implementation, seed)

    def visit() -> None:
        tap = session.tap(ends=False)
        session.emits(2)
        tap.close()
        tap.close()

    session.tap()
    session.race(*[_each(2, visit)] * 3, partial(session.emits, 6))
    session.race(session.finish, visit, visit)  # it is open whether they see the end, so they must not be waited for
    session.settle()
    session.tap(ends=False)
    return session.settle()


def the_first_tap_comes_late(implementation: Implementation, seed: int) -> Recording:
    session = Session(implementation, seed)
    session.race(*[partial(session.emits, 4)] * 3)
    session.race(partial(session.emits, 4), session.tap, session.finish)
    return session.settle()


def callbacks_throw(implementation: Implementation, seed: int) -> Recording:
    def throw(event: Any = None) -> None:
        raise Thrown

    session = Session(implementation, seed, hook=throw)
    session.tap(throw)
    session.tap()
    session.race(*[partial(session.emits, 4)] * 2, session.run.cancel)
    session.finish("run-cancelled")
    return session.settle()


def callbacks_call_the_run(implementation: Implementation, seed: int) -> Recording:
    session = Session(implementation, seed, hook=lambda: session.finish("run-cancelled"))

    def react(event: Any) -> None:
        session.run.observe()
        if session.random.random() < 0.4:
            session.emit()

    session.tap(react)
    session.race(partial(session.emits, 4), partial(session.emits, 4))
    session.run.cancel()
    session.run.observe()
    return session.settle()


def a_subscriber_parks(implementation: Implementation, seed: int) -> Recording:
    """Needs threads."""
    session = Session(implementation, seed)
    gate = Gate("parked", session.changes)
    session.tap(lambda event: gate.wait())
    session.race(partial(session.emits, 3), partial(session.emits, 3))
    session.until(lambda: gate.arrivals, "the subscriber parks")
    session.section(session.run.cancel)
    session.finish()
    session.until(lambda: session.run.drained.status == "kept", "drained is kept")
    gate.open()
    return session.settle()


def the_hook_outlasts_the_run(implementation: Implementation, seed: int) -> Recording:
    """Needs threads."""
    changes = Changes()
    gate = Gate("hook", changes)
    session = Session(implementation, seed, hook=gate.wait)
    session.tap()
    cancel = Task(session.run.cancel, "canceller")
    session.until(lambda: gate.arrivals, "the hook is called")
    session.race(session.finish, session.run.cancel, partial(session.emits, 3))
    session.run.observe()
    gate.open()
    cancel.outcome(WAIT, "cancel")
    return session.settle()


def never() -> None:
    raise AssertionError("the hook of a finished run is called")


def a_run_ends_before_it_is_cancelled(implementation: Implementation, seed: int) -> Recording:
    session = Session(implementation, seed, hook=never)
    session.tap()
    session.emits(2)
    session.finish("run-failed")
    session.race(session.run.cancel, session.finish, session.emit, session.run.work_begin, session.run.observe)
    return session.settle()


def a_tap_closes(implementation: Implementation, seed: int) -> Recording:
    session = Session(implementation, seed)
    seen: list[Any] = []
    tap = session.tap(seen.append, ends=False)
    session.tap()
    session.emits(2)
    session.until(lambda: len(seen) == 2, "both events arrive")
    tap.close()
    session.race(partial(session.emits, 2), partial(session.emits, 2))
    session.finish()
    return session.settle()


def wrong_events_are_refused(implementation: Implementation, seed: int) -> Recording:
    session = Session(implementation, seed)
    session.tap()
    session.race(*[partial(session.refused, session.emit, "run-completed")] * 2, session.emit)
    session.race(*[partial(session.refused, session.finish, "log")] * 2, session.emit)
    session.finish()
    session.race(partial(session.refused, session.emit, "run-failed"), partial(session.refused, session.finish, "log"))
    return session.settle()


def at_random(implementation: Implementation, seed: int) -> Recording:
    """Four threads that each do what a seeded generator says, then a finish."""
    session = Session(implementation, seed, hook=lambda: session.run.observe())
    taps: list[RecordedTap] = []
    choices: list[Action] = [
        session.emit,
        session.emit,
        session.emit,
        session.run.cancel,
        session.run.observe,
        partial(session.section, session.emit),
        lambda: taps.append(session.tap(ends=False)),
        lambda: taps.pop().close() if taps else None,
        lambda: session.finish(session.random.choice(TERMINALS)) if session.random.random() < 0.2 else None,
    ]
    session.tap()
    session.race(*(_each(1, *session.random.choices(choices, k=8)) for _ in range(4)))
    for tap in taps:
        tap.close()
    session.finish()
    return session.settle()


def many_emitters(implementation: Implementation, emits: int, threads: int = 8) -> Recording:
    """A long recording, to see how fast it is checked: four records for each emit."""
    session = Session(implementation)
    session.tap()
    session.race(*[partial(session.emits, emits // threads)] * threads)
    session.finish()
    return session.settle()


SCENARIOS = (
    emitters_race_finish,
    cancels_race_finish,
    sections_race_finish,
    taps_come_and_close,
    the_first_tap_comes_late,
    callbacks_throw,
    callbacks_call_the_run,
    a_subscriber_parks,
    the_hook_outlasts_the_run,
    a_run_ends_before_it_is_cancelled,
    a_tap_closes,
    wrong_events_are_refused,
    at_random,
)
NEED_THREADS = (a_subscriber_parks, the_hook_outlasts_the_run)


@contextlib.contextmanager
def hurried(seconds: float = 1e-5) -> Iterator[None]:
    """Let threads take turns more often, so that more of them meet."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def recordings() -> Iterator[tuple[str, Recording]]:
    """A recording of every scenario, for every implementation that it applies to."""
    for name, spec in IMPLEMENTATIONS.items():
        implementation = load(spec)
        for seed, scenario in enumerate(SCENARIOS):
            if implementation.capabilities.threads or scenario not in NEED_THREADS:
                yield f"{scenario.__name__}-{name}", scenario(implementation, seed)


def main() -> None:
    """Write every recording to a file of its own."""
    GOOD.mkdir(parents=True, exist_ok=True)
    for library in ("agent_run", "asyncio"):  # they report each callback that throws, and these do so on purpose
        logging.getLogger(library).setLevel(logging.CRITICAL)
    with hurried():
        for name, recording in recordings():
            recording.write(GOOD / f"{name}.jsonl", settled=True)


if __name__ == "__main__":
    main()
