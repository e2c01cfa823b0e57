"""What only repeated races can show. Each check tries one scenario, and may see others violated than its own.

The scenarios, and what must hold in them, are in `agent_run_tck/races`. Green means: not found in so many trials. What
can be steered stands at the end.
"""

import pytest

from agent_run_tck.callbacks import Callback
from agent_run_tck.case import Case
from agent_run_tck.driven import DrivenRun
from agent_run_tck.races.trial import Violated
from agent_run_tck.steering import Hang
from agent_run_tck.steps import wait
from agent_run_tck.suite.foreign import foreign_values
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
    run = case.run()
    subscriber = run.tap()
    armed: list[Callback] = []

    def act() -> None:
        for call in armed:
            call()

    value = list(foreign_values(act))[number]  # making it runs code of its class, too
    armed.append(case.callback(wait("conversion"), name="text conversion of a value"))
    finishing = case.start(lambda: _finishes(case, run, value), "finisher")
    case.eventually(
        lambda: case.gate("conversion").arrivals or not finishing.running,
        "finish returns, or converts the value that it was given",
    )
    accepted = _emits(case, run)
    assert accepted or run.is_done, "while a finish converts its value, an emit was refused and the run is not done"
    armed.clear()
    case.gate("conversion").open()
    if not finishing.outcome(case.budgets.wait, "finish, whose value has been converted,"):
        case.promptly(run.finish, "finish")  # the value was refused, which is right as well
    assert_published(case, subscriber, *(["log"] if accepted else []), "run-completed")


def _finishes(case: Case, run: DrivenRun, value: object) -> bool:
    """Whether a finish with the value is accepted; the handle itself is called, because a note converts as well."""
    case.note(f"{run.name}.finish(run-completed, final=a value of a class of the user's own)")
    try:
        return bool(run.handle.finish(case.event("run-completed"), final=value))
    except Exception:
        return False


def _emits(case: Case, run: DrivenRun) -> bool:
    try:
        return case.promptly(run.emit, "emit, while a finish converts its value,")
    except Hang as hang:
        raise Violated("LEAF-5", str(hang)) from None
