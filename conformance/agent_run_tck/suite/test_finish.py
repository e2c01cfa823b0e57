"""FINISH: ending the run."""

import pytest

from agent_run_tck.case import Case
from agent_run_tck.steps import finish, wait
from agent_run_tck.suite.marks import OUTCOMES, for_each_outcome, requirement
from agent_run_tck.suite.published import assert_no_seq_lost, assert_published

NOT_TERMINAL = ["log", "token"]


@requirement("FINISH-1")
@for_each_outcome
def test_the_first_finish_returns_true_and_later_ones_return_false(case: Case, outcome: str) -> None:
    run = case.run()
    replies = [run.finish(f"run-{outcome}"), *(run.finish(f"run-{other}") for other in OUTCOMES)]
    assert replies == [True, False, False, False], (
        f"four finishes replied {replies}; the first must reply true and every later one false"
    )


@requirement("FINISH-1")
@for_each_outcome
def test_a_later_finish_changes_nothing(case: Case, outcome: str) -> None:
    run = case.run()
    subscriber, continuation = run.tap(), run.result.then()
    run.work_begin()
    run.finish(f"run-{outcome}", final="first")
    before = run.observe(), run.result.value
    for other in OUTCOMES:
        run.finish(f"run-{other}", final="later", error="later", spent={"cost": 1})
    after = run.observe(), run.result.value
    assert after == before, f"later finishes changed the run from {before} to {after}; they must change nothing"
    assert_published(case, subscriber, f"run-{outcome}")
    case.eventually(lambda: continuation.calls, "the continuation of the result is called")
    case.never(
        lambda: len(subscriber.log) > 2 or len(continuation.calls) > 1 or run.drained.status == "kept",
        "a later finish publishes, calls a continuation again, or keeps drained past an open section",
    )


@requirement("FINISH-1")
def test_a_finish_inside_the_callbacks_of_a_finished_run_returns_false(case: Case) -> None:
    run = case.run()
    subscriber = run.tap({"terminal": (finish("run-failed"),), "done": (finish("run-failed"),)})
    continuation = run.result.then(finish("run-cancelled"))
    run.finish("run-completed")
    case.eventually(
        lambda: subscriber.replies("terminal") and subscriber.replies("done") and continuation.returned,
        "the finishes inside the callbacks of a finished run return",
    )
    replies = [*subscriber.replies("terminal"), *subscriber.replies("done"), *continuation.replies]
    assert replies == [False] * 3, f"finishes inside callbacks of a finished run replied {replies}; all must be false"
    assert_published(case, subscriber, "run-completed")
    assert run.result.value["outcome"] == "completed", "a later finish inside a callback changed the outcome"


@requirement("FINISH-1")
@pytest.mark.parametrize("kind", NOT_TERMINAL)
def test_a_non_terminal_given_to_finish_on_a_closed_run_changes_nothing(case: Case, kind: str) -> None:
    run = case.run()
    subscriber = run.tap()
    run.finish(final="first")
    run.drained.kept()
    before = run.observe(), run.result.value
    reply = case.accepted(lambda: run.finish(kind, final="later"))
    assert not reply, f"finish with a {kind} on a closed run was accepted; it must return false or raise"
    after = run.observe(), run.result.value
    assert after == before, f"finish with a {kind} on a closed run changed it from {before} to {after}"
    assert_published(case, subscriber, "run-completed")


@requirement("FINISH-2")
@pytest.mark.parametrize("kind", NOT_TERMINAL)
def test_finish_with_a_non_terminal_is_refused_and_the_run_stays_open(case: Case, kind: str) -> None:
    run = case.run()
    subscriber = run.tap()
    run.emit("log")
    before = run.observe()
    case.refused(lambda: run.finish(kind, final="refused"), f"finish with a {kind}, which is not terminal,")
    after = run.observe()
    assert after == before, f"a refused finish changed the run from {before} to {after}; it must stay open"
    assert run.emit("token"), "emit must be accepted after a finish was refused: the run is still open"
    assert run.work_begin(), "work_begin must be accepted after a finish was refused: the run is still open"
    assert run.finish("run-failed"), "a finish with a terminal must be accepted after another one was refused"
    assert_published(case, subscriber, "log", "token", "run-failed")
    assert_no_seq_lost(subscriber)
    result = run.result.value
    assert result["outcome"] == "failed", f"the outcome is {result['outcome']!r}; it must be the accepted terminal's"
    assert result["final"] != "refused", "a field of the finish that was refused is in the result"


@requirement("FINISH-6")
@for_each_outcome
def test_any_terminal_may_end_a_cancelled_run(case: Case, outcome: str) -> None:
    run = case.run(on_cancel=case.callback(name="hook"))
    run.cancel()
    assert run.finish(f"run-{outcome}"), f"finish of a cancelled run with run-{outcome} must be accepted"
    found = run.result.kept()["outcome"]
    assert found == outcome, f"the outcome is {found!r}; it must be that of the terminal, {outcome!r}"
    assert_published(case, run.tap(), f"run-{outcome}")
    assert run.is_cancelled, "a run that was cancelled must stay cancelled, whatever its outcome"


@requirement("FINISH-6")
def test_run_cancelled_may_end_a_run_that_nobody_cancelled(case: Case) -> None:
    hook = case.callback(name="hook")
    run = case.run(on_cancel=hook)
    assert run.finish("run-cancelled"), "finish with run-cancelled must be accepted though nobody cancelled"
    found = run.result.kept()["outcome"]
    assert found == "cancelled", f"the outcome is {found!r}; it must be that of the terminal, 'cancelled'"
    assert_published(case, run.tap(), "run-cancelled")
    assert not hook.calls, "the hook was called though nobody cancelled"
    assert not run.is_cancelled, "a run that nobody cancelled must not become cancelled by its terminal"


@requirement("FINISH-6")
@for_each_outcome
def test_the_hook_may_end_the_run_it_was_called_for(case: Case, outcome: str) -> None:
    hook = case.callback(finish(f"run-{outcome}"), name="hook")
    run = case.run(on_cancel=hook)
    run.cancel()
    assert hook.replies == [True], f"finish inside the hook replied {hook.replies}; it is the first and must win"
    found = run.result.kept()["outcome"]
    assert found == outcome, f"the outcome is {found!r}; it must be that of the terminal, {outcome!r}"


@requirement("FINISH-7")
@for_each_outcome
def test_finish_does_not_wait_for_sections(case: Case, outcome: str) -> None:
    run = case.run()
    run.work_begin()
    run.work_begin()
    assert case.promptly(lambda: run.finish(f"run-{outcome}"), "finish, with two sections open,"), (
        "the first finish must return true, however many sections are open"
    )
    assert run.is_done, "after finish the run must be done, however many sections are open"


@requirement("FINISH-7", needs="threads")
@pytest.mark.parametrize("moment", ["log", "backlog"])
def test_finish_does_not_wait_for_a_blocked_subscriber(case: Case, moment: str) -> None:
    run = case.run()
    if moment == "backlog":
        run.emit("log")
    tapping = case.start(lambda: run.tap({0: (wait("subscriber"),)}), name="tapping")
    if moment == "log":
        tapping.outcome(case.budgets.wait, "the first tap of a run without events")
        run.emit("log")
    case.parked("subscriber")
    run.emit("token")
    assert case.promptly(run.finish, f"finish, while a subscriber blocks on an event of the {moment},"), (
        "the first finish must return true while a subscriber blocks"
    )
    assert run.is_done, "after finish the run must be done while a subscriber blocks"
    case.gate("subscriber").open()
    assert_published(case, tapping.outcome(case.budgets.wait, "tap"), "log", "token", "run-completed")


@requirement("FINISH-7", needs="threads")
def test_finish_does_not_wait_for_a_blocked_hook(case: Case) -> None:
    run = case.run(on_cancel=case.callback(wait("hook"), name="hook"))
    cancel = case.start(run.cancel, name="cancel")
    case.parked("hook")
    assert case.promptly(run.finish, "finish, while the hook blocks,"), "the first finish must return true"
    assert run.is_done, "after finish the run must be done while the hook blocks"
    case.gate("hook").open()
    cancel.outcome(case.budgets.wait, "the cancel whose hook was let go")
