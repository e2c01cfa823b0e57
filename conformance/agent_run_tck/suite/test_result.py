"""RESULT: the result promise."""

import contextlib
import gc
from collections.abc import Mapping
from typing import Any

import pytest

from agent_run_tck.alarms import alarms
from agent_run_tck.case import Case
from agent_run_tck.driven import DrivenRun, Raised
from agent_run_tck.events.plain import same
from agent_run_tck.suite.marks import OUTCOMES, for_each_outcome, requirement
from agent_run_tck.values import data, spoil

KEYS = {"outcome", "final", "messages", "error", "attempts", "reason"}
MESSAGE = {"role": "assistant", "content": "It rains.", "parts": [{"n": 0}, []]}
GIVEN: dict[str, Any] = {
    "final": "It rains.",
    "messages": [{"role": "user", "content": "Does it rain?"}, MESSAGE],
    "error": {"code": 503, "retries": [1, 0.5, None]},
    "attempts": [{"attempt": 1, "error": None, "usage": {}}],
    "reason": "budget-exhausted",
}
DEFAULTS: dict[str, Any] = {"final": "", "messages": [], "error": None, "attempts": [], "reason": None}


def _result(run: DrivenRun) -> dict[str, Any]:
    value = run.result.kept()
    assert isinstance(value, Mapping), f"the result is {value!r}; it must be a map"
    return data(value)  # type: ignore[no-any-return]


def _planned(run: DrivenRun, when: str) -> None:
    status = run.result.status
    assert status == "planned", f"{when} the result is {status}; it must be planned until a finish is accepted"


def _is(value: Any, expected: Any, what: str) -> None:
    assert same(value, expected), f"{what} is {value!r}; it must be {expected!r}"


@requirement("RESULT-1")
@for_each_outcome
def test_the_result_is_planned_until_a_finish_and_kept_from_then_on(case: Case, outcome: str) -> None:
    run = case.run()
    _planned(run, "on a new run")
    run.emit()
    run.work_begin()
    _planned(run, "with an event and an open section")
    run.work_done()
    _planned(run, "after the last section")
    assert run.finish(f"run-{outcome}"), "the first finish must return true"
    for operation in (run.emit, run.finish, run.cancel, run.work_begin):
        status = run.result.status
        assert status == "kept", f"after a finish with run-{outcome} the result is {status}; it must be and stay kept"
        operation()
    assert run.result.status == "kept", f"the result is {run.result.status}; it must stay kept"


@requirement("RESULT-1")
@for_each_outcome
def test_the_result_of_a_cancelled_run_is_kept_by_the_finish_alone(case: Case, outcome: str) -> None:
    run = case.run()
    run.cancel()
    _planned(run, "after a cancel")
    assert run.finish(f"run-{outcome}"), "the first finish must return true"
    status = run.result.status
    assert status == "kept", f"after cancel and a finish with run-{outcome} the result is {status}; it must be kept"


@requirement("RESULT-1")
@for_each_outcome
def test_the_end_of_a_child_run_is_not_the_end_of_the_run(case: Case, outcome: str) -> None:
    run = case.run()
    inner = case.plain(case.event(f"run-{outcome}"))
    run.emit("subagent", {"agent-id": "a1", "agent-type": "helper", "inner": inner})
    _planned(run, f"after a subagent event with a run-{outcome} inside")


@requirement("RESULT-1")
def test_a_refused_finish_does_not_keep_the_result(case: Case) -> None:
    run = case.run()
    with contextlib.suppress(Raised):
        run.finish("log")
    _planned(run, "after a finish with an event that is not terminal")
    run.finish("run-failed")
    assert run.result.status == "kept", "the finish after the refused one must keep the result"


@requirement("RESULT-2")
@for_each_outcome
@pytest.mark.parametrize("given", [{}, GIVEN], ids=["nothing-given", "all-given"])
def test_the_result_has_its_six_keys(case: Case, outcome: str, given: dict[str, Any]) -> None:
    run = case.run()
    run.finish(f"run-{outcome}", **given)
    missing = KEYS - _result(run).keys()
    assert not missing, f"the result of a run that {outcome} lacks {sorted(missing)}; all six keys are always present"


@requirement("RESULT-3")
@for_each_outcome
def test_what_the_driver_did_not_give_has_its_default(case: Case, outcome: str) -> None:
    run = case.run()
    terminal = case.event(f"run-{outcome}")
    run.finish(terminal)
    result, own = _result(run), case.plain(terminal)
    for key, default in DEFAULTS.items():
        # Filling a field from the terminal's own field of the same name is left open (decision 9).
        admitted = [default] + ([own[key]] if key in own else [])
        got = result.get(key, "absent")
        assert any(same(got, each) for each in admitted), (
            f"the driver gave no {key}, and the result of the run that {outcome} has {got!r}; it must be {default!r}"
        )


@requirement("RESULT-4")
@for_each_outcome
@pytest.mark.parametrize("cancelled", [False, True], ids=["uncancelled", "cancelled-before"])
def test_the_outcome_follows_the_class_of_the_terminal(case: Case, outcome: str, cancelled: bool) -> None:
    run = case.run()
    if cancelled:
        run.cancel()
    run.finish(f"run-{outcome}")
    run.cancel()
    _is(_result(run)["outcome"], outcome, f"the outcome of a run that ended in run-{outcome}")


@requirement("RESULT-4")
@for_each_outcome
def test_a_driver_cannot_choose_another_outcome(case: Case, outcome: str) -> None:
    for given in (*OUTCOMES, "excellent", None):
        run = case.run()
        try:
            run.finish(f"run-{outcome}", outcome=given)
        except Raised:
            _planned(run, "after a finish that was refused for the outcome it gave")
            run.finish(f"run-{outcome}")
        _is(_result(run)["outcome"], outcome, f"the outcome after run-{outcome} with outcome={given!r}")


@requirement("RESULT-5")
@for_each_outcome
def test_what_the_driver_gives_arrives_equal(case: Case, outcome: str) -> None:
    run = case.run()
    run.finish(f"run-{outcome}", **GIVEN)
    result = _result(run)
    for key, value in GIVEN.items():
        _is(result.get(key, "absent"), value, f"{key} in the result of a run that {outcome}")


EMPTY: tuple[Any, ...] = ("", 0, False, [], {})
FALSY = [("final", ""), ("messages", []), ("attempts", []), ("reason", ""), *(("error", value) for value in EMPTY)]


@requirement("RESULT-5")
@pytest.mark.parametrize(("key", "value"), FALSY, ids=repr)
def test_falsy_values_arrive_as_well(case: Case, key: str, value: Any) -> None:
    run = case.run()
    terminal = case.event("run-failed", {"error": "of the terminal", "reason": "budget-exhausted"})
    run.finish(terminal, **{key: value})
    got = _result(run).get(key, "absent")
    assert same(got, value), f"{key}={value!r} was given, and the result has {got!r}"


@requirement("RESULT-6")
@for_each_outcome
def test_spent_is_absent_when_nobody_counted(case: Case, outcome: str) -> None:
    for given in ({}, GIVEN, {"spent": None}):
        run = case.run()
        run.finish(f"run-{outcome}", **given)
        spent = _result(run).get("spent", "absent")
        assert spent == "absent", f"nobody gave a spent (finish was given {given!r}), but the result has {spent!r}"


@requirement("RESULT-6")
@for_each_outcome
@pytest.mark.parametrize("spent", [{}, {"total-tokens": 0}, {"total-tokens": 12, "complete": False}], ids=repr)
def test_spent_is_present_when_it_was_given(case: Case, outcome: str, spent: dict[str, Any]) -> None:
    run = case.run()
    run.finish(f"run-{outcome}", spent=spent)
    result = _result(run)
    assert "spent" in result, (
        f"spent={spent!r} was given and is absent from the result; only what nobody gave is absent"
    )
    for key, value in spent.items():
        _is(result["spent"].get(key, "absent"), value, f"{key} in spent")


FIGURES = {
    "total-tokens": 12,
    "prompt-tokens": 12,
    "completion-tokens": 0,
    "wall-clock": 0.5,
    "cost": 0,
    "complete": False,
}


@requirement("RESULT-7")
@pytest.mark.parametrize("reported", [(), ("total-tokens",), ("cost", "complete"), tuple(FIGURES)], ids="-".join)
def test_figures_of_spent_that_nobody_reported_stay_absent(case: Case, reported: tuple[str, ...]) -> None:
    run = case.run()
    run.finish(spent={key: FIGURES[key] for key in reported})
    result = _result(run)
    made_up = set(result.get("spent", {})) - set(reported)
    assert not made_up, f"spent was given with {sorted(reported)}; the result's spent also has {sorted(made_up)}"
    lost = set(reported) - set(result.get("spent", {}))
    assert not lost, f"spent was given with {sorted(reported)}; the result's spent lacks {sorted(lost)}"


@requirement("RESULT-8")
@for_each_outcome
@pytest.mark.parametrize("given", [{}, GIVEN], ids=["nothing-given", "all-given"])
def test_a_later_finish_leaves_the_result_as_it_is(case: Case, outcome: str, given: dict[str, Any]) -> None:
    run = case.run()
    run.finish(f"run-{outcome}", **given)
    held, before = run.result.kept(), _result(run)
    late = {"final": "late", "messages": ["late"], "error": "late", "attempts": ["late"], "reason": "late"}
    for event in ("run-completed", "run-failed", "run-cancelled", "log"):
        with contextlib.suppress(Raised):  # an error is right for an event that is not terminal (decision 13)
            run.finish(event, **late, spent={"total-tokens": 1})
        _is(_result(run), before, f"the result after run-{outcome} and a later finish with {event}")
    _is(held, before, "what a reader got before the later finishes")


@requirement("RESULT-9")
def test_every_reader_sees_the_same_value(case: Case) -> None:
    run = case.run()
    early = [run.result.then() for _ in range(3)]
    run.finish("run-failed", **GIVEN, spent={"total-tokens": 12})
    late = [run.result.then() for _ in range(3)]
    case.eventually(lambda: all(each.calls for each in early + late), "all continuations are called")
    values = [each.calls[0][0] for each in early + late]
    values += [run.result.value, run.result.wait(case.budgets.wait), run.result.value]
    for value in values:
        assert same(value, values[0]), f"one reader of the result got {values[0]!r}, another {value!r}"
    _is(data(values[0])["messages"], GIVEN["messages"], "what the readers see as messages")


@requirement("RESULT-9", needs="in_process")
def test_a_reader_that_changes_what_it_got_changes_it_for_nobody_else(case: Case) -> None:
    run = case.run()
    early = [run.result.then() for _ in range(2)]
    run.finish(**GIVEN, spent={"total-tokens": 12})
    late = run.result.then()
    case.eventually(lambda: late.calls and all(each.calls for each in early), "all continuations are called")
    expected = _result(run)
    values = [each.calls[0][0] for each in (*early, late)]
    values += [run.result.value, run.result.wait(case.budgets.wait), run.result.value]
    while values:
        spoil(values.pop())
        for other in (*values, run.result.value):
            _is(other, expected, "after a reader changed its value, that of another reader")


@requirement("RESULT-9", needs="threads")
def test_readers_on_many_threads_see_the_same_value(case: Case) -> None:
    run = case.run()
    waiters = [case.start(lambda: _waited(run, case.budgets.wait), "waiter") for _ in range(8)]
    run.finish("run-cancelled", **GIVEN)
    expected = _result(run)
    for waiter in waiters:
        value = waiter.outcome(3 * case.budgets.wait, "a wait for the result")
        _is(value, expected, "what a waiting thread got")
        spoil(value)


def _waited(run: DrivenRun, timeout: float) -> Any:
    """The result, at the second attempt if the finish was late; who is not woken gets it too, which is PROMISE-4."""
    try:
        return run.result.wait(timeout)
    except TimeoutError:
        return run.result.wait(timeout)


def _ended_and_dropped(case: Case, outcome: str, tapped: bool) -> None:
    run = case.run()
    subscriber = run.tap() if tapped else None
    run.finish(f"run-{outcome}", error="nobody looks at this")
    if subscriber is not None:
        case.eventually(lambda: subscriber.done, "the subscriber gets done")
    case.forget(run)


@requirement("RESULT-10", needs="in_process")
@for_each_outcome
@pytest.mark.parametrize("tapped", [False, True], ids=["untapped", "tapped"])
def test_a_run_that_nobody_awaits_raises_no_alarm(case: Case, outcome: str, tapped: bool) -> None:
    gc.collect()  # what other checks left behind is not this run's
    with alarms(case.note) as seen:
        _ended_and_dropped(case, outcome, tapped)
        gc.collect()
        case.never(lambda: seen, f"a run that {outcome} and that nobody awaits raises an alarm (see what happened)")


@requirement("RESULT-11", needs="in_process")
@for_each_outcome
def test_changes_after_finish_do_not_show_in_the_result(case: Case, outcome: str) -> None:
    given = {**GIVEN, "spent": {"total-tokens": 12, "models": ["small"]}}
    run, untouched = case.run(), case.run()
    own = data(given)
    run.finish(f"run-{outcome}", **own)
    untouched.finish(f"run-{outcome}", **data(given))
    for value in own.values():
        spoil(value)
    _is(_result(run), _result(untouched), "the result, after the driver changed what it had given,")


@requirement("RESULT-12")
@for_each_outcome
@pytest.mark.parametrize("given", [{}, {**GIVEN, "spent": {"cost": 0}}], ids=["nothing-given", "all-given"])
def test_the_result_has_no_keys_but_those_of_the_contract(case: Case, outcome: str, given: dict[str, Any]) -> None:
    run = case.run()
    run.emit()
    run.finish(f"run-{outcome}", **given)
    invented = _result(run).keys() - KEYS - {"spent"}
    assert not invented, f"the result of a run that {outcome} has {sorted(invented)}, which the contract does not name"


@requirement("RESULT-12")
@for_each_outcome
def test_an_unknown_keyword_of_finish_is_dropped_or_refused(case: Case, outcome: str) -> None:
    run = case.run()
    try:
        run.finish(f"run-{outcome}", mood="fine")
    except Raised:
        _planned(run, "after a finish that was refused for a keyword it does not know")
        run.finish(f"run-{outcome}")
    assert "mood" not in _result(run), "finish was given mood='fine'; an unknown keyword must not come into the result"
