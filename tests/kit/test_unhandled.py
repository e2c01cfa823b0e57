"""An exception that nobody handled is told by whose it is, in every check of the suite."""

from collections.abc import Callable
from pathlib import Path

import pytest
from agent_run_tck.alarms import Alarm
from agent_run_tck.budgets import BUDGETS
from agent_run_tck.callbacks import Thrown, ThrownBase
from agent_run_tck.case import Case
from agent_run_tck.index import example_payload
from agent_run_tck.loading import load
from agent_run_tck.races.trial import Violated
from agent_run_tck.unhandled import judge

from tests.kit.suite_run import run_suite

DIES = """
import threading
from agent_run import Run as RightRun, events

def die():
    raise LookupError("not at home")

class Run(RightRun):
    def finish(self, terminal, **outcome):
        won = super().finish(terminal, **outcome)
        thread = threading.Thread(target=die)
        thread.start()
        thread.join()
        return won
"""


def raised(by: Callable[[], object]) -> Alarm:
    """The alarm of what the call raises."""
    try:
        by()
    except BaseException as error:
        alarm = Alarm(f"a thread died: {error!r}")
        alarm.error = error
        return alarm
    raise AssertionError("the call raises nothing")


def of_the_implementation() -> Alarm:
    return raised(lambda: {"at home": 1}["not at home"])


def of_the_kit() -> Alarm:
    alarm = raised(lambda: example_payload("no such kind"))
    assert alarm.error is not None
    assert alarm.error.__traceback__ is not None
    alarm.error.with_traceback(alarm.error.__traceback__.tb_next and alarm.error.__traceback__.tb_next.tb_next)
    return alarm


@pytest.fixture
def case() -> Case:
    return Case(load("agent_run"), BUDGETS["quick"])


def test_one_of_the_implementation_violates_result_10_on_a_run_that_has_ended(case: Case) -> None:
    case.run().finish("run-failed")
    with pytest.raises(Violated, match="not at home") as violated:
        judge(case, [of_the_implementation()])
    assert violated.value.requirement == "RESULT-10"


def test_one_of_the_kit_is_raised_as_it_is(case: Case) -> None:
    with pytest.raises(KeyError, match="no such kind"):
        judge(case, [of_the_kit()])


def wrapped() -> BaseException:
    error = of_the_implementation().error
    assert error is not None
    error.__cause__ = Thrown("on purpose")
    return error


REPORTED = {
    "exception": Thrown("on purpose"),
    "any": ThrownBase("on purpose"),
    "as a cause": wrapped(),
    "in a group": ExceptionGroup("callbacks failed", [LookupError("another"), wrapped()]),
}


@pytest.mark.parametrize("thrown", REPORTED.values(), ids=REPORTED)
def test_what_a_callback_threw_on_purpose_may_be_reported(case: Case, thrown: BaseException) -> None:
    alarm = Alarm("a thread died")
    alarm.error = thrown
    case.run().finish("run-failed")
    judge(case, [alarm])
    assert case.runs["run"].is_done


def test_what_shows_no_code_of_either_is_nobodys(case: Case) -> None:
    alarm = Alarm("unraisable")
    alarm.error = BrokenPipeError()
    case.run().finish("run-failed")
    judge(case, [alarm])
    assert case.runs["run"].is_done


def test_nothing_is_promised_for_a_run_that_is_open(case: Case) -> None:
    assert case.run().emit()
    judge(case, [of_the_implementation()])
    assert not case.awaited


@pytest.mark.parametrize(
    "awaits", [lambda run: run.result.wait(1), lambda run: run.result.then()], ids=["wait", "then"]
)
def test_nothing_is_promised_for_a_result_that_somebody_awaits(case: Case, awaits: Callable[[object], object]) -> None:
    run = case.run()
    run.finish("run-failed")
    awaits(run)
    judge(case, [of_the_implementation()])
    assert case.awaited


def test_a_check_that_else_passes_fails_with_what_reached_the_hook(tmp_path: Path) -> None:
    (tmp_path / "dies.py").write_text(DIES)
    run = run_suite("dies", tmp_path, "-k", "test_any_terminal_may_end_a_cancelled_run", cwd=tmp_path)
    assert {*run.failures} == {"RESULT-10"}, run.output
    assert "a thread died: LookupError('not at home')" in run.failures["RESULT-10"]
