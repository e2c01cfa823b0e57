"""ISO: runs are independent."""

import gc
import threading
import time
import tracemalloc
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import pytest

from agent_run_tck.callbacks import Subscriber
from agent_run_tck.case import Case
from agent_run_tck.driven import DrivenRun
from agent_run_tck.events.plain import same
from agent_run_tck.steering import frames
from agent_run_tck.suite.marks import OUTCOMES, for_each_outcome, requirement
from agent_run_tck.suite.parked import PARKED, Park, spoken
from agent_run_tck.values import data, spoil

MANY = 256
A_FEW = 32
PASSING = 100  # runs that come and go
ASKED = 200
LITTLE = 40  # bytes; the smallest object with a place in a list takes more

IDS = {"no-ids": (None, None, None), "own-ids": ("a", "b", "c"), "the-same-id": ("same", "same", "same")}
for_each_way_of_ids = pytest.mark.parametrize("ids", IDS.values(), ids=IDS)


@requirement("ISO-1", needs="threads", patience=5)
@pytest.mark.parametrize("park", PARKED)
def test_callbacks_parked_on_many_runs_delay_no_other(case: Case, park: Park) -> None:
    older = case.run()
    parked = [park(case) for _ in range(MANY)]
    for so_many in range(A_FEW, MANY + 1, A_FEW):  # each few have the whole budget, for the machine may be busy
        case.eventually(
            lambda: case.gate("park").arrivals >= so_many,  # noqa: B023 - it is called before the next round
            f"{so_many} runs of {MANY} stand {spoken(park)}: each must get there, however many others are parked",
        )
    who = f"while {MANY} other runs are parked {spoken(park)}"
    for run, hook in ((older, None), _with_hook(case)):
        _works(case, run, who)
        assert hook is None or hook.calls, f"the hook must be called {who}"
    case.gate("park").open()
    for _, operation in parked:
        operation.outcome(case.budgets.wait, "an operation whose callback was let go")


def _with_hook(case: Case) -> tuple[DrivenRun, Any]:
    hook = case.callback(name="hook")
    return case.run(on_cancel=hook), hook


def _works(case: Case, run: DrivenRun, who: str) -> None:
    subscriber, continuation = run.tap(), run.result.then()
    for operation in (run.work_begin, run.emit, run.cancel, run.work_done, run.finish, run.observe):
        case.promptly(operation, f"{operation.__name__} {who}")
    case.eventually(lambda: subscriber.done, f"the events of a run are delivered {who}")
    case.eventually(lambda: continuation.calls, f"a continuation is called {who}")
    case.eventually(lambda: run.drained.status == "kept", f"drained is kept {who}")


def _three_runs(case: Case, *ids: str | None) -> tuple[list[DrivenRun], list[Subscriber]]:
    runs = [case.run(id) for id in ids]
    return runs, [run.tap() for run in runs]


@requirement("ISO-2")
@for_each_way_of_ids
def test_interleaved_runs_keep_their_events_apart(case: Case, ids: tuple[str | None, ...]) -> None:
    runs, subscribers = _three_runs(case, *ids)
    event = case.event("token")
    for _ in range(3):
        for number, run in enumerate(runs):
            run.emit("log", {"level": "info", "data": str(number)})
            run.emit(event)
    for run, outcome in zip(runs, OUTCOMES, strict=True):
        run.finish(f"run-{outcome}")
    case.eventually(lambda: all(each.done for each in subscribers), "all three subscribers get done")
    for number, (run, subscriber, outcome) in enumerate(zip(runs, subscribers, OUTCOMES, strict=True)):
        assert subscriber.seqs == list(range(7)), (
            f"run {number} was handed the seqs {subscriber.seqs}; each counts from 0"
        )
        assert subscriber.kinds == ["log", "token"] * 3 + [f"run-{outcome}"], f"{subscriber.kinds} came on run {number}"
        strange = [
            each
            for each in subscriber.events
            if each["run-id"] != run.id or each.get("data", str(number)) != str(number)
        ]
        assert not strange, f"run {number} with id {run.id!r} was handed {strange}, which belongs to another run"


@requirement("ISO-2")
@for_each_way_of_ids
def test_runs_keep_their_endings_apart(case: Case, ids: tuple[str | None, ...]) -> None:
    runs, _ = _three_runs(case, *ids)
    given: list[dict[str, Any]] = [{"final": "first", "reason": "budget-exhausted", "spent": {"cost": 1}}]
    given += [{"messages": ["second"]}, {}]
    runs[0].finish("run-failed", **given[0])
    for other in runs[1:]:
        assert not other.is_done, "the finish of one run ended another"
        assert other.emit(), "the finish of one run closed another: emit was refused"
    runs[1].finish("run-cancelled", **given[1])
    runs[2].finish("run-completed")
    values = [data(run.result.kept()) for run in runs]
    assert [value["outcome"] for value in values] == ["failed", "cancelled", "completed"], f"the results are {values}"
    for number, value in enumerate(values):
        foreign = [item for each in given if each is not given[number] for item in each.items()]
        mixed = [key for key, item in foreign if same(value.get(key), item)]
        assert not mixed, f"run {number} has {value}; {mixed} came from another run"


@requirement("ISO-2")
@for_each_way_of_ids
def test_runs_keep_cancellation_and_sections_apart(case: Case, ids: tuple[str | None, ...]) -> None:
    hooks = [case.callback(name=f"hook of run {number}") for number in range(3)]
    runs = [case.run(id, on_cancel=hook) for id, hook in zip(ids, hooks, strict=True)]
    runs[0].work_begin()
    runs[0].cancel()
    runs[1].finish()
    assert runs[1].drained.kept() is True, "a section of one run must not hold up drained of another"
    case.eventually(lambda: hooks[0].calls, "the hook of the cancelled run is called")
    case.never(lambda: hooks[1].calls or hooks[2].calls, "the cancel of one run calls the hook of another")
    for other in runs[1:]:
        assert not other.is_cancelled, "the cancel of one run cancelled another"
    assert runs[2].drained.status == "planned", "the finish of one run kept drained of another"


@requirement("ISO-2", needs="in_process")
def test_what_a_reader_does_to_a_default_does_not_show_on_the_next_run(case: Case) -> None:
    first, second = case.run(), case.run()
    first.finish()
    expected = data(first.result.kept())
    spoil(first.result.kept())
    second.finish()
    got = second.result.kept()
    assert same(got, expected), f"a reader changed one run's result, and now another run has {got!r}, not {expected!r}"


def _come_and_gone(case: Case, outcome: str, cancelled: bool) -> list[weakref.ref[Any]]:
    """Leads a run to its end, drops it, and keeps only weak references to what was of it."""
    hook = case.callback(name="hook")
    run = case.run(on_cancel=hook)
    subscriber = run.tap()
    waiting = [promise.then() for promise in (run.result, run.drained, run.cancellation)]
    run.emit()
    if cancelled:
        run.cancel()
    run.finish(f"run-{outcome}")
    due = waiting if cancelled else waiting[:2]
    case.eventually(lambda: subscriber.done and all(each.returned for each in due), "all callbacks are called")
    parts = [run.handle, run.handle.result, run.handle.cancellation, run.handle.drained, hook, subscriber, *waiting]
    case.forget(run)
    return [reference for part in parts if (reference := _weak(part))]


def _weak(part: Any) -> "weakref.ref[Any] | None":
    try:
        return weakref.ref(part)
    except TypeError:  # its class does not admit weak references
        return None


@requirement("ISO-3", needs="in_process")
@for_each_outcome
@pytest.mark.parametrize("cancelled", [False, True], ids=["uncancelled", "cancelled"])
def test_a_finished_run_that_nobody_holds_is_freed(case: Case, outcome: str, cancelled: bool) -> None:
    references = [reference for _ in range(3) for reference in _come_and_gone(case, outcome, cancelled)]

    def left() -> list[str]:
        gc.collect()
        return [type(part).__name__ for reference in references if (part := reference()) is not None]

    case.eventually(lambda: not left(), lambda: f"runs that are over and dropped are freed; there still are {left()}")


@requirement("ISO-3", needs="in_process")
def test_runs_that_come_and_go_leave_no_memory_behind(case: Case) -> None:
    _come_and_gone(case, "completed", True)  # whatever is made once is made now
    with _traced() as left:
        for number in range(PASSING):
            noted = len(case.history)
            _come_and_gone(case, OUTCOMES[number % 3], cancelled=number % 2 == 1)
            del case.history[noted:]
        case.eventually(
            lambda: left() < 1000 * PASSING,
            lambda: f"{PASSING} runs that are over and dropped leave no memory; {left()} bytes are left",
        )


@requirement("ISO-3", needs="in_process")
@for_each_outcome
def test_the_number_of_threads_does_not_grow_with_the_number_of_runs(case: Case, outcome: str) -> None:
    _come_and_gone(case, "completed", True)
    before = _threads()
    for number in range(PASSING):
        _come_and_gone(case, outcome, cancelled=number % 2 == 1)
    case.eventually(
        lambda: len(_threads() - before) < PASSING // 2,  # a pool may grow to some, one for each second run is too many
        lambda: f"{PASSING} runs that are over leave no threads: {len(_threads() - before)} have come and stay",
    )


def _threads() -> set[threading.Thread]:
    """The threads themselves, for their number falls as well while the ones of earlier checks come to their end."""
    alive = frames()
    return {thread for thread in threading.enumerate() if thread.ident in alive}


@requirement("ISO-4", needs="in_process")
@pytest.mark.parametrize("name", ["result", "cancellation", "drained"])
def test_asking_and_waiting_leave_nothing_behind(case: Case, name: str) -> None:
    run = case.run()
    _ask(run, name)  # whatever is made once is made now
    with _traced() as left:
        for _ in range(ASKED):
            _ask(run, name)
        case.eventually(
            lambda: left() < LITTLE * ASKED,
            lambda: f"{ASKED} reads and timed-out waits for {name} leave nothing; {left()} bytes are left",
        )
    assert getattr(run, name).status == "planned", f"asking for {name} must not keep it"


@requirement("ISO-4", needs="in_process", patience=3)
def test_a_driver_that_polls_the_cancellation_for_hours_collects_nothing(case: Case) -> None:
    run = case.run()
    _poll(run, ASKED, case.budgets.case)  # whatever is made once is made now
    with _traced() as left:
        times = _poll(run, case.budgets.waits, case.budgets.case)
        case.eventually(
            lambda: left() < LITTLE * times,
            lambda: f"{times} waits that timed out leave nothing; {left()} bytes are left",
        )
    run.cancel()
    run.cancellation.kept()
    assert run.is_cancelled, "a promise that was waited for in vain must be kept as any other"


def _poll(run: DrivenRun, times: int, within: float) -> int:
    """How often the run was asked: on a slow machine seldom enough to end in time."""
    end = time.monotonic() + within
    for asked in range(times):
        if run.cancellation.has_wait:
            run.cancellation.times_out(0.00001)
        assert run.cancellation.status == "planned"
        if asked >= ASKED and time.monotonic() > end:
            return asked
    return times


def _ask(run: DrivenRun, name: str) -> None:
    promise = getattr(run, name)
    run.observe()
    promise.value_if_any()
    if promise.has_wait:  # a wait that the kit makes from `then` leaves a continuation behind
        promise.times_out(0.0001)


@contextmanager
def _traced() -> Generator[Callable[[], int]]:
    """How many of the bytes that were allocated inside the block are still in use.

    What was there before does not count: earlier checks leave things that may go just now, and would hide a leak.
    """

    def left() -> int:
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        yield left
    finally:
        tracemalloc.stop()
