"""What only repeated races can show. Each check tries one scenario, and may see others violated than its own.

The scenarios, and what must hold in them, are in `agent_run_tck/races`. Green means: not found in so many trials. What
can be steered stands at the end.
"""

from collections.abc import Callable

import pytest

from agent_run_tck.callbacks import Callback
from agent_run_tck.case import Case
from agent_run_tck.races.trial import Violated
from agent_run_tck.steering import Hang, Task
from agent_run_tck.steps import wait
from agent_run_tck.suite.foreign import foreign_event, foreign_values
from agent_run_tck.suite.marks import Race, requirement, stochastic
from agent_run_tck.suite.published import assert_published


@stochastic
@requirement("EMIT-9", needs="threads")
def test_several_threads_emit(race: Race) -> None:
    race("several threads emit")


@stochastic
@requirement("EMIT-10", needs="threads")
def test_a_finish_among_emits(race: Race) -> None:
    race("a finish among emits")


@stochastic
@requirement("EMIT-11", needs="threads")
def test_two_threads_emit_in_turn(race: Race) -> None:
    race("two threads emit in turn")


@stochastic
@requirement("FINISH-3", needs="threads")
def test_a_finish_that_is_watched(race: Race) -> None:
    race("a finish that is watched")


@stochastic
@requirement("FINISH-4", needs="threads")
def test_several_threads_finish(race: Race) -> None:
    race("several threads finish")


@stochastic
@requirement("FINISH-5", needs="threads")
def test_two_finishes_and_one_looks(race: Race) -> None:
    race("two finishes, and one looks")


@stochastic
@requirement("CANCEL-9", needs="threads")
def test_several_threads_cancel(race: Race) -> None:
    race("several threads cancel")


@stochastic
@requirement("CANCEL-10", needs="threads")
def test_a_cancel_and_a_finish(race: Race) -> None:
    race("a cancel and a finish")


@stochastic
@requirement("DRAIN-8", needs="threads")
def test_a_finish_and_the_last_work_done(race: Race) -> None:
    race("a finish and the last work_done")


@stochastic
@requirement("WORK-6", needs="threads")
def test_a_work_begin_and_a_finish(race: Race) -> None:
    race("a work_begin and a finish")


@requirement("FINISH-3", needs="threads")
@pytest.mark.parametrize("number", [0, 3], ids=["an object", "a kind of string"])
def test_a_finish_that_stands_in_a_conversion_has_happened_or_has_not(case: Case, number: int) -> None:
    run, armed = case.run(), list[Callback]()
    subscriber = run.tap()
    terminal, value = case.event("run-completed"), list(foreign_values(lambda: _call_all(armed)))[number]
    finishing = _standing(case, armed, "a finish with a value", lambda: run.handle.finish(terminal, final=value))
    accepted = _promptly(case, run.emit, "emit, while a finish converts its value,")
    assert accepted or run.is_done, "while a finish converts its value, an emit was refused and the run is not done"
    if not _released(case, armed, finishing):
        case.promptly(run.finish, "finish")  # the value was refused, which is right as well
    assert_published(case, subscriber, *(["log"] if accepted else []), "run-completed")


@requirement("FINISH-3", needs="threads")
def test_an_emit_that_stands_in_a_copy_comes_before_the_terminal_or_not_at_all(case: Case) -> None:
    run, armed = case.run(), list[Callback]()
    subscriber = run.tap()
    event = foreign_event(case.event("log"), lambda: _call_all(armed)) or case.event("log")
    emitting = _standing(case, armed, "an emit of an event", lambda: run.handle.emit(event))
    _promptly(case, run.finish, "finish, while an emit copies its event,")
    accepted = _released(case, armed, emitting)
    assert_published(case, subscriber, *(["log"] if accepted else []), "run-completed")


def _call_all(armed: list[Callback]) -> None:
    for callback in armed:
        callback()


def _standing(case: Case, armed: list[Callback], what: str, operation: Callable[[], bool]) -> Task[bool]:
    """Start an operation that is given something foreign, and wait until that stands at its gate, or is over.

    It is an operation of the handle itself: a driven run looks at what it is given. What is foreign is armed only now:
    making it runs code of its class as well.
    """

    def accepted() -> bool:
        case.note(f"{what} of a class of the user's own")
        try:
            return bool(operation())
        except Exception:
            return False

    armed.append(case.callback(wait("inside"), name="code of that class"))
    task = case.start(accepted, "operation")
    case.eventually(lambda: case.gate("inside").arrivals or not task.running, f"{what} stands in foreign code, or ends")
    return task


def _released(case: Case, armed: list[Callback], task: Task[bool]) -> bool:
    """Let the operation go on; whether it was accepted."""
    armed.clear()
    case.gate("inside").open()
    return task.outcome(case.budgets.wait, "the operation that was let go")


def _promptly(case: Case, operation: Callable[[], bool], what: str) -> bool:
    try:
        return case.promptly(operation, what)
    except Hang as hang:
        raise Violated("LEAF-5", str(hang)) from None
