"""IDENT: identity and status."""

import re

import pytest

from agent_run_tck.case import Case
from agent_run_tck.driven import DrivenRun
from agent_run_tck.steps import observe
from agent_run_tck.suite.marks import for_each_outcome, requirement
from agent_run_tck.suite.parked import PARKED, Park, spoken

CANONICAL_UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")

GIVEN = {
    "empty": "",
    "short": "0",
    "spaces": "  run 7\t\n",
    "upper-case-uuid": "6BA7B810-9DAD-41D1-80B4-00C04FD430C8",
    "decomposed": "re\u0301sume\u0301",
    "beyond-the-BMP": "\U0001f3c3",
    "long": "x" * 5000,
}


@requirement("IDENT-1")
def test_a_run_without_a_given_id_gets_a_fresh_uuid_of_version_4(case: Case) -> None:
    ids = [case.run().id for _ in range(20)]
    for id in ids:
        assert isinstance(id, str), f"the id is {id!r}; it must be text"
        assert CANONICAL_UUID4.fullmatch(id), f"the id is {id!r}; it must be a UUID of version 4 in canonical text form"
    assert len(set(ids)) == len(ids), f"each of {len(ids)} runs must get an id of its own; they got {sorted(ids)}"


@requirement("IDENT-1")
@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
def test_a_given_id_is_reported_exactly(case: Case, given: str) -> None:
    run, another = case.run(given), case.run(given)
    run.finish()
    for each in (run, another):
        assert each.id == given, f"the run was given the id {given!r} and reports {each.id!r}"


def _done_agrees_with_the_result(run: DrivenRun, expected: bool, when: str) -> None:
    seen, status = run.is_done, run.result.status
    assert seen is expected, f"{when} is_done is {seen}; it must be {expected}"
    assert seen is (status == "kept"), f"{when} is_done is {seen} and the result is {status}; they must agree"


@requirement("IDENT-2")
@for_each_outcome
def test_is_done_is_true_exactly_when_the_result_is_kept(case: Case, outcome: str) -> None:
    run = case.run()
    _done_agrees_with_the_result(run, False, "on a new run")
    run.emit()
    run.work_begin()
    _done_agrees_with_the_result(run, False, "with an event and an open section")
    run.cancel()
    _done_agrees_with_the_result(run, False, "after a cancel")
    run.finish(f"run-{outcome}")
    _done_agrees_with_the_result(run, True, "after the finish, with nothing delivered and a section open,")


@requirement("IDENT-2")
@for_each_outcome
def test_is_done_never_turns_back(case: Case, outcome: str) -> None:
    run = case.run()
    run.finish(f"run-{outcome}")
    for operation in (run.emit, run.finish, run.cancel, run.work_begin):
        operation()
        _done_agrees_with_the_result(run, True, f"after finish and then {operation.__name__}")
    subscriber = run.tap()
    case.eventually(lambda: subscriber.done, "the subscriber gets done")
    _done_agrees_with_the_result(run, True, "when all is delivered")
    run.tap()
    _done_agrees_with_the_result(run, True, "when all is delivered and tapped again")


@requirement("IDENT-2")
def test_callbacks_find_the_run_done_once_the_result_is_kept(case: Case) -> None:
    run = case.run()
    subscriber = run.tap({"done": [observe()]})
    continuation = run.result.then(observe())
    run.finish()
    case.eventually(lambda: subscriber.replies("done") and continuation.replies, "subscriber and continuation observe")
    for seen in subscriber.replies("done") + continuation.replies:
        assert seen.is_done, (
            f"a callback that comes after the keeping of the result saw {seen}; it must find is_done true"
        )


def _cancelled_agrees_with_the_cancellation(run: DrivenRun, expected: bool, when: str) -> None:
    seen, status = run.is_cancelled, run.cancellation.status
    assert seen is expected, f"{when} is_cancelled is {seen}; it must be {expected}"
    assert seen is (status == "kept"), f"{when} is_cancelled is {seen} and the cancellation {status}; they must agree"


@requirement("IDENT-3")
@for_each_outcome
def test_is_cancelled_stays_true_whatever_the_outcome(case: Case, outcome: str) -> None:
    run = case.run()
    _cancelled_agrees_with_the_cancellation(run, False, "on a new run")
    run.cancel()
    _cancelled_agrees_with_the_cancellation(run, True, "after a cancel")
    for operation in (run.emit, run.work_begin, run.work_done, run.cancel):
        operation()
        _cancelled_agrees_with_the_cancellation(run, True, f"after a cancel and then {operation.__name__}")
    run.finish(f"run-{outcome}")
    _cancelled_agrees_with_the_cancellation(run, True, f"after a cancel and then run-{outcome}")
    subscriber = run.tap()
    case.eventually(lambda: subscriber.done, "the subscriber gets done")
    _cancelled_agrees_with_the_cancellation(run, True, "when all is delivered")
    run.tap()
    _cancelled_agrees_with_the_cancellation(run, True, "when all is delivered and tapped again")


@requirement("IDENT-3")
@for_each_outcome
def test_is_cancelled_does_not_follow_from_the_outcome(case: Case, outcome: str) -> None:
    run = case.run()
    run.finish(f"run-{outcome}")
    _cancelled_agrees_with_the_cancellation(
        run, False, f"on a run that nobody cancelled and that ended in run-{outcome}"
    )


@requirement("IDENT-3")
def test_callbacks_find_is_cancelled_and_the_cancellation_in_agreement(case: Case) -> None:
    hook = case.callback(observe(), name="hook")
    run = case.run(on_cancel=hook)
    continuation = run.cancellation.then(observe())
    run.cancel()
    case.eventually(lambda: hook.replies and continuation.replies, "hook and continuation observe")
    for seen in hook.replies + continuation.replies:
        agree = seen.is_cancelled is (seen.cancellation == "kept")
        assert agree, f"a callback saw {seen}; is_cancelled and the cancellation must agree"
    assert continuation.replies[0].is_cancelled, "a continuation of the cancellation must find is_cancelled true"


def _read_everything(run: DrivenRun) -> None:
    assert isinstance(run.id, str), f"the id is {run.id!r}; it must be text"
    run.observe()
    for promise in (run.result, run.cancellation, run.drained):
        value = promise.value_if_any()
        planned = promise.status == "planned"  # so it was planned before as well
        assert value is None or not planned, f"{promise.name} is planned and has the value {value!r}; it must have none"


@requirement("IDENT-4")
@for_each_outcome
def test_status_can_be_read_in_every_state_without_a_subscriber(case: Case, outcome: str) -> None:
    run = case.run()
    reading = "reading id, status and values"
    case.promptly(lambda: _read_everything(run), f"{reading} of a new run")
    run.emit()
    run.work_begin()
    run.cancel()
    case.promptly(lambda: _read_everything(run), f"{reading} of a cancelled run that nobody taps")
    run.finish(f"run-{outcome}")
    case.promptly(lambda: _read_everything(run), f"{reading} of a finished run that nobody taps")
    assert run.observe().result != "planned", "a finished run that nobody taps must have its result"


@requirement("IDENT-4")
def test_status_can_be_read_within_every_callback(case: Case) -> None:
    hook = case.callback(observe(), name="hook")
    run = case.run(on_cancel=hook)
    subscriber = run.tap({0: [observe()], "done": [observe()]})
    continuations = [each.then(observe()) for each in (run.cancellation, run.result, run.drained)]
    run.emit()
    run.cancel()
    run.finish()
    callbacks = [hook, *continuations]
    case.eventually(lambda: all(each.replies for each in callbacks), "hook and continuations have read the status")
    case.eventually(lambda: subscriber.replies(0) and subscriber.replies("done"), "the subscriber has read the status")


@requirement("IDENT-4", needs="threads")
@pytest.mark.parametrize("park", PARKED)
def test_status_can_be_read_while_a_callback_is_blocked(case: Case, park: Park) -> None:
    run, _ = park(case)
    where = spoken(park)
    case.parked("park")
    run.emit()
    case.promptly(lambda: _read_everything(run), f"reading the status of a run that is parked {where}")
    run.finish()
    case.promptly(lambda: _read_everything(run), f"reading the status of a finished run that is parked {where}")
    seen = case.promptly(run.observe, "reading the status")
    assert seen.result != "planned", f"a finished run with a blocked callback shows {seen}; it must show the result"
