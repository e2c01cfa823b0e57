"""PROMISE: waiting for result, cancellation and drained."""

from collections.abc import Callable
from typing import Any

import pytest

from agent_run_tck.callbacks import Callback
from agent_run_tck.case import Case
from agent_run_tck.driven import DrivenPromise, DrivenRun
from agent_run_tck.events.plain import same
from agent_run_tck.steps import Step, then, throw, wait
from agent_run_tck.suite.marks import requirement

KEEPERS: dict[str, Callable[[DrivenRun], object]] = {
    "result": lambda run: run.finish(final="It rains."),
    "cancellation": lambda run: run.cancel(),
    "drained": lambda run: run.finish(),
}
"""The promises of a run, and the operation that keeps each on a run without sections."""

for_each_promise = pytest.mark.parametrize("name", KEEPERS)


def _promise(run: DrivenRun, name: str) -> DrivenPromise:
    promise = getattr(run, name)
    assert isinstance(promise, DrivenPromise)
    return promise


def _all_called(case: Case, callbacks: list[Callback], what: str) -> None:
    case.eventually(lambda: all(callback.calls for callback in callbacks), what)


@requirement("PROMISE-1")
@for_each_promise
def test_a_continuation_is_called_once_with_the_value(case: Case, name: str) -> None:
    run = case.run()
    promise = _promise(run, name)
    early = [promise.then() for _ in range(3)]
    KEEPERS[name](run)
    value = promise.kept()
    late = [promise.then() for _ in range(3)]
    _all_called(case, early, f"what was registered before the keeping of {name} is called")
    _all_called(case, late, f"what was registered after the keeping of {name} is called")
    for operation in (run.cancel, run.finish, run.emit, run.work_begin):
        operation()
    _once_with_the_value(case, early + late, value)


def _once_with_the_value(case: Case, callbacks: list[Callback], value: Any) -> None:
    case.never(lambda: any(len(each.calls) > 1 for each in callbacks), "a continuation is called more than once")
    for each in callbacks:
        assert len(each.calls[0]) == 1, (
            f"{each.name} is called with {each.calls[0]!r}; it must be called with the value"
        )
        assert same(each.calls[0][0], value), f"{each.name} is called with {each.calls[0][0]!r}; the value is {value!r}"


@requirement("PROMISE-1")
@for_each_promise
def test_a_continuation_is_not_called_while_the_promise_is_planned(case: Case, name: str) -> None:
    run, marker = case.run(), case.run()
    continuation = _promise(run, name).then()
    run.emit()
    run.work_begin()
    run.work_done()
    if name != "cancellation":
        run.cancel()
    marked = _promise(marker, name).then()
    KEEPERS[name](marker)
    _all_called(case, [marked], f"the continuation of another run, whose {name} is kept, is called")
    case.never(lambda: continuation.calls, f"a continuation is called though {name} is planned")
    KEEPERS[name](run)
    _all_called(case, [continuation], f"the continuation is called once {name} is kept")


@requirement("PROMISE-1", needs="in_process")
@for_each_promise
def test_a_function_registered_twice_is_two_continuations(case: Case, name: str) -> None:
    run = case.run()
    promise = _promise(run, name)
    early, late = case.callback(name="early"), case.callback(name="late")
    for _ in range(2):
        promise.register(early)
    KEEPERS[name](run)
    promise.kept()
    for _ in range(2):
        promise.register(late)
    for what, callback in (("before", early), ("after", late)):
        _called_twice(case, callback, what)
    case.never(lambda: len(early.calls) > 2 or len(late.calls) > 2, "a function registered twice is called more often")


def _called_twice(case: Case, callback: Callback, what: str) -> None:
    case.eventually(lambda: len(callback.calls) >= 2, f"a function registered twice {what} the keeping is called twice")


@requirement("PROMISE-1")
@for_each_promise
def test_a_continuation_registered_by_a_continuation_is_called_once(case: Case, name: str) -> None:
    run = case.run()
    outer = _promise(run, name).then(then(name))
    KEEPERS[name](run)
    case.eventually(lambda: outer.replies, "the continuation has registered another one")
    inner: Callback = outer.replies[0]
    _all_called(case, [inner], "what a continuation registered is called")
    _once_with_the_value(case, [outer, inner], _promise(run, name).kept())


@requirement("PROMISE-2")
@for_each_promise
@pytest.mark.parametrize("step", [throw(), throw(base=True)], ids=["exception", "base-exception"])
def test_a_throwing_continuation_costs_no_other_its_call(case: Case, name: str, step: Step) -> None:
    run = case.run()
    promise = _promise(run, name)
    throwing = [promise.then(step)]
    others = [promise.then()]
    throwing.append(promise.then(step))
    others.append(promise.then())
    KEEPERS[name](run)  # what a continuation throws would come out of here
    value = promise.kept()
    throwing.append(promise.then(step))  # or out of here
    others.append(promise.then())
    _all_called(case, others, "the continuations beside those that throw are called")
    _all_called(case, throwing, "all the continuations that throw are called")
    assert promise.status == "kept", f"after continuations threw {name} is {promise.status}; it must stay kept"
    assert same(promise.value, value), f"after continuations threw, {name} has {promise.value!r}; it had {value!r}"


@requirement("PROMISE-2")
@for_each_promise
def test_a_throwing_continuation_leaves_the_run_as_it_is(case: Case, name: str) -> None:
    run = case.run()
    subscriber = run.tap()
    throwing = _promise(run, name).then(throw())
    KEEPERS[name](run)
    _all_called(case, [throwing], "the continuation is called")
    if name == "cancellation":
        assert run.emit(), "a run whose cancellation has a throwing continuation must go on"
        assert run.finish(), "a run whose cancellation has a throwing continuation can be finished"
    case.eventually(lambda: subscriber.done, "the subscriber gets done")
    run.result.kept()
    run.drained.kept()


def _every_operation_goes_on(case: Case, run: DrivenRun, still_open: bool, who: str) -> None:
    """All operations from another thread than the one that may be held up, on a run that is finished or still open."""
    case.promptly(run.observe, f"reading the status while {who} is blocked")
    case.promptly(lambda: _read_values(run), f"reading the values while {who} is blocked")
    for operation in (run.emit, run.work_begin):
        accepted = case.promptly(operation, f"{operation.__name__} while {who} is blocked")
        assert accepted is still_open, (
            f"{operation.__name__} replied {accepted}; that a callback blocks changes nothing"
        )
    for another in (run.work_done, run.tap, run.cancel):
        case.promptly(another, f"{another.__name__} while {who} is blocked")
    accepted = case.promptly(run.finish, f"finish while {who} is blocked")
    assert accepted is still_open, f"finish replied {accepted}; that a callback blocks changes nothing"


def _read_values(run: DrivenRun) -> None:
    for promise in (run.result, run.cancellation, run.drained):
        promise.value_if_any()


def _another_run_works(case: Case, who: str) -> None:
    another = case.run()
    subscriber, continuation = another.tap(), another.result.then()
    case.promptly(another.cancel, f"cancel of another run while {who} is blocked")
    assert case.promptly(another.finish, f"finish of another run while {who} is blocked"), "it must be accepted"
    case.eventually(lambda: subscriber.done, f"another run delivers while {who} is blocked")
    case.eventually(lambda: continuation.calls, f"a continuation of another run is called while {who} is blocked")


@requirement("PROMISE-3", needs="threads")
@for_each_promise
@pytest.mark.parametrize("late", [False, True], ids=["registered-before", "registered-after"])
def test_a_blocked_continuation_holds_up_nobody_else(case: Case, name: str, late: bool) -> None:
    run = case.run()
    promise = _promise(run, name)
    if late:
        KEEPERS[name](run)
        promise.kept()
        case.start(lambda: promise.then(wait("park")), "registrar")
    else:
        promise.then(wait("park"))
        case.start(lambda: KEEPERS[name](run), "keeper")
    case.parked("park")
    who = f"a continuation of {name}"
    _every_operation_goes_on(case, run, still_open=name == "cancellation", who=who)
    assert case.promptly(lambda: run.result.status, "reading the result") == "kept", "the result must be kept by now"
    _another_run_works(case, who)


@requirement("PROMISE-4")
@for_each_promise
def test_a_wait_whose_deadline_passes_leaves_promise_and_run_as_they_were(case: Case, name: str) -> None:
    run = case.run()
    promise = _promise(run, name)
    continuation, before = promise.then(), run.observe()
    for _ in range(3):
        case.promptly(lambda: promise.times_out(0.001), f"a wait for {name} with a deadline of 1 ms")
    assert run.observe() == before, f"after waits that timed out the run shows {run.observe()}; before it was {before}"
    assert run.emit(), "after waits that timed out the run must go on"
    KEEPERS[name](run)
    value = promise.wait(case.budgets.wait)
    assert same(value, promise.value), f"a wait after the keeping got {value!r}; the value is {promise.value!r}"
    case.eventually(
        lambda: continuation.calls, "a continuation is called that was registered before waits that timed out"
    )


@requirement("PROMISE-4", needs="threads")
@for_each_promise
def test_many_threads_may_wait_at_once_and_all_get_the_value(case: Case, name: str) -> None:
    run = case.run()
    promise = _promise(run, name)
    # Their deadline lies far behind the time within which they have to be woken.
    patient = [case.start(lambda: promise.wait(case.budgets.case), "patient") for _ in range(12)]
    hasty = [case.start(lambda: promise.times_out(0.001), "hasty") for _ in range(4)]
    for each in hasty:
        each.outcome(case.budgets.wait, f"a wait for {name} with a deadline of 1 ms")
    KEEPERS[name](run)
    value = promise.kept()
    for number, each in enumerate(patient):
        what = f"thread {number} of {len(patient)} that wait for {name}"
        got = _woken(each.outcome, case.budgets.wait, what)
        assert same(got, value), f"{what} got {got!r}; the value is {value!r}"


def _woken(outcome: Callable[[float, str], Any], timeout: float, what: str) -> Any:
    try:
        return outcome(timeout, what)
    except TimeoutError:
        raise AssertionError(
            f"{what} timed out, though the promise was kept in time; all of them must get it"
        ) from None
