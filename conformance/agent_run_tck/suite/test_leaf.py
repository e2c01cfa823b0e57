"""LEAF: nothing foreign runs under the lock."""

from collections.abc import Callable
from typing import Any

import pytest

from agent_run_tck.case import Case
from agent_run_tck.driven import DrivenRun
from agent_run_tck.steps import (
    EVERY_OPERATION,
    Step,
    cancel,
    close,
    emit,
    finish,
    in_thread,
    observe,
    tap,
    value,
    wait,
    work_begin,
    work_done,
)
from agent_run_tck.suite.foreign import FOREIGN_VALUES, Act, foreign_event, foreign_values
from agent_run_tck.suite.marks import requirement
from agent_run_tck.suite.taps import over

OPERATIONS = (*EVERY_OPERATION, close("other"), finish(), value("result"))
# A tap that a joined thread makes may wait for the publisher that the join holds up (decision 20).
FROM_A_THREAD = tuple(step for step in OPERATIONS if step != tap())
# What foreign code in copies calls: it may run very often.
A_FEW = (observe(), emit(), work_begin(), work_done())

for_each_moment = pytest.mark.parametrize("moment", [0, "terminal", "done"])
for_each_promise = pytest.mark.parametrize("promise", ["result", "cancellation", "drained"])
for_each_time = pytest.mark.parametrize("late", [False, True], ids=["registered before", "registered after"])
for_each_place = pytest.mark.parametrize("place", ["subscriber", "hook", "continuation"])
for_each_key = pytest.mark.parametrize("key", ["final", "messages", "error", "attempts", "reason", "spent"])


def all_return(case: Case, replies: list[Any], count: int, who: str) -> None:
    # A join that hangs has the same deadline and says more, so it goes first.
    came = case.changes.until(lambda: case.problems or len(replies) >= count, 2 * case.budgets.wait)
    case.raise_problems()
    assert came, f"only {len(replies)} of the {count} operations that {who} calls have returned"


def subscriber_calls(case: Case, moment: int | str, steps: tuple[Step, ...], count: int) -> None:
    run = case.run()
    run.tap(name="other")
    subscriber = run.tap({moment: steps})
    case.promptly(run.emit if moment == 0 else run.finish, "emit, or the first finish,")
    all_return(case, subscriber.replies(moment), count, "the subscriber")
    over(case, subscriber)


@requirement("LEAF-1")
@for_each_moment
def test_a_subscriber_may_call_every_operation(case: Case, moment: int | str) -> None:
    subscriber_calls(case, moment, OPERATIONS, len(OPERATIONS))


@requirement("LEAF-1", needs="threads")
@for_each_moment
def test_a_subscriber_may_call_every_operation_through_a_thread_that_it_joins(case: Case, moment: int | str) -> None:
    subscriber_calls(case, moment, (in_thread(*FROM_A_THREAD),), len(FROM_A_THREAD))


@requirement("LEAF-1")
def test_a_subscriber_may_close_its_own_tap(case: Case) -> None:
    run = case.run()
    subscriber = run.tap({0: [close("own"), emit(), finish()]}, name="own")
    case.promptly(run.emit, "emit")
    all_return(case, subscriber.replies(0), 3, "the subscriber")


def hook_calls(case: Case, steps: tuple[Step, ...], count: int) -> None:
    hook = case.callback(*steps, name="hook")
    run = case.run(on_cancel=hook)
    run.tap(name="other")
    case.promptly(run.cancel, "cancel, whose hook calls every operation,")
    all_return(case, hook.replies, count, "the hook")
    assert run.is_done, "finish inside the hook must finish the run"


@requirement("LEAF-2")
def test_the_hook_may_call_every_operation(case: Case) -> None:
    hook_calls(case, OPERATIONS, len(OPERATIONS))


@requirement("LEAF-2", needs="threads")
def test_the_hook_may_call_every_operation_through_a_thread_that_it_joins(case: Case) -> None:
    hook_calls(case, (in_thread(*FROM_A_THREAD),), len(FROM_A_THREAD))


def continuation_calls(case: Case, promise: str, late: bool, steps: tuple[Step, ...], count: int) -> None:
    run = case.run()
    run.tap(name="other")
    keep = run.cancel if promise == "cancellation" else run.finish
    if late:
        keep()
        getattr(run, promise).kept()
    continuation = case.promptly(lambda: getattr(run, promise).then(*steps), f"then of {promise}")
    if not late:
        case.promptly(keep, f"the operation that keeps {promise}")
    all_return(case, continuation.replies, count, f"the continuation of {promise}")


@requirement("LEAF-3")
@for_each_promise
@for_each_time
def test_a_continuation_may_call_every_operation(case: Case, promise: str, late: bool) -> None:
    continuation_calls(case, promise, late, OPERATIONS, len(OPERATIONS))


@requirement("LEAF-3", needs="threads")
@for_each_promise
@for_each_time
def test_a_continuation_may_call_every_operation_through_a_thread_that_it_joins(
    case: Case, promise: str, late: bool
) -> None:
    continuation_calls(case, promise, late, (in_thread(*FROM_A_THREAD),), len(FROM_A_THREAD))


def calling(case: Case, place: str, run_name: str, steps: tuple[Step, ...]) -> tuple[list[Any], Callable[[], object]]:
    """A run with a callback that follows the steps: what they reply, and the operation that leads to it."""
    if place == "hook":
        hook = case.callback(*steps, name=f"hook of {run_name}")
        return hook.replies, case.run(on_cancel=hook, name=run_name).cancel
    run = case.run(name=run_name)
    if place == "subscriber":
        return run.tap({0: steps}).replies(0), run.emit
    return run.result.then(*steps).replies, run.finish


def each_other(case: Case, place: str, before: tuple[Step, ...]) -> list[tuple[list[Any], Callable[[], object]]]:
    """Two runs whose callbacks call operations of the other one."""
    return [
        calling(case, place, own, (*before, cancel(other), emit(on=other), work_begin(other), finish(on=other)))
        for own, other in (("parent", "child"), ("child", "parent"))
    ]


@requirement("LEAF-4")
@for_each_place
def test_callbacks_of_two_runs_may_call_the_other_run(case: Case, place: str) -> None:
    both = each_other(case, place, ())
    for _, operation in both:
        case.promptly(operation, f"the operation that leads to the {place}")
    for replies, _ in both:
        all_return(case, replies, 4, f"the {place} of one of two runs")


@requirement("LEAF-4", needs="threads")
@for_each_place
def test_callbacks_of_two_runs_may_call_the_other_run_at_the_same_time(case: Case, place: str) -> None:
    both = each_other(case, place, (wait("both"),))
    tasks = [case.start(operation) for _, operation in both]
    case.parked("both", 2)
    case.gate("both").open()
    for replies, _ in both:
        all_return(case, replies, 4, f"the {place} of one of two runs")
    for task in tasks:
        task.outcome(case.budgets.wait, f"the operation that leads to the {place}")


Use = Callable[[Case, DrivenRun, Act], None]


def emit_a_foreign_event(case: Case, run: DrivenRun, act: Act) -> None:
    event = foreign_event(case.event("log"), act)
    if event is not None:
        case.accepted(lambda: run.emit(event))


def finish_with_a_foreign_event(case: Case, run: DrivenRun, act: Act) -> None:
    event = foreign_event(case.event("run-completed"), act)
    if event is not None:
        case.accepted(lambda: run.finish(event))


def emit_foreign_payloads(case: Case, run: DrivenRun, act: Act) -> None:
    for thing in foreign_values(act):
        try:
            event = case.event("log", {"level": "info", "data": thing})
        except Exception:  # refused already when the event is made
            continue
        case.accepted(lambda event=event: run.emit(event))  # type: ignore[misc]


def finish_with_a_foreign_value(key: str, number: int) -> Use:
    def use(case: Case, run: DrivenRun, act: Act) -> None:
        thing = list(foreign_values(act))[number]
        if case.accepted(lambda: run.finish(**{key: thing})):
            run.result.kept()

    return use


def foreign_code_may_call(case: Case, use: Use, *steps: Step) -> None:
    """In a run of its own `use` hands over something foreign; it may be refused, and the run goes on all the same."""
    run = case.run()
    subscriber = run.tap()
    code = case.callback(*steps, name="foreign code")
    code.run = run
    armed = [code]

    def act() -> None:
        for call in armed:
            call()

    try:
        case.promptly(lambda: use(case, run, act), "an operation that was given something foreign")
    finally:
        armed.clear()  # reports may convert what is foreign to text as well
    case.promptly(lambda: run.is_done or run.finish(), "finish")
    over(case, subscriber)
    assert subscriber.kinds[-1:] == ["run-completed"], f"the run must end as ever; it published {subscriber.kinds}"


for_each_foreign = pytest.mark.parametrize(
    "use",
    [emit_a_foreign_event, finish_with_a_foreign_event, emit_foreign_payloads],
    ids=lambda use: use.__name__,
)


@requirement("LEAF-5", needs="in_process")
@for_each_foreign
def test_foreign_code_of_events_may_call_operations(case: Case, use: Use) -> None:
    foreign_code_may_call(case, use, *A_FEW)


@requirement("LEAF-5", needs="in_process threads")
@for_each_foreign
def test_foreign_code_of_events_may_call_operations_through_a_thread_that_it_joins(case: Case, use: Use) -> None:
    foreign_code_may_call(case, use, in_thread(*A_FEW))


@requirement("LEAF-5", needs="in_process")
@for_each_key
def test_foreign_code_of_values_may_call_operations(case: Case, key: str) -> None:
    for number in range(FOREIGN_VALUES):
        foreign_code_may_call(case, finish_with_a_foreign_value(key, number), *A_FEW)


@requirement("LEAF-5", needs="in_process threads")
@for_each_key
def test_foreign_code_of_values_may_call_operations_through_a_thread_that_it_joins(case: Case, key: str) -> None:
    for number in range(FOREIGN_VALUES):
        foreign_code_may_call(case, finish_with_a_foreign_value(key, number), in_thread(*A_FEW))
