"""CANCEL: asking the run to stop."""

from agent_run_tck.case import Case
from agent_run_tck.steps import wait
from agent_run_tck.suite.marks import requirement


@requirement("CANCEL-1")
def test_the_first_cancel_keeps_the_cancellation_and_calls_the_hook_once(case: Case) -> None:
    hook = case.callback(name="hook")
    run = case.run(on_cancel=hook)
    run.cancel()
    assert run.cancellation.kept() is True, "the cancellation must be kept with true"
    assert len(hook.calls) == 1, f"the first cancel must call the hook once; it called it {len(hook.calls)} times"


@requirement("CANCEL-6")
def test_cancel_of_a_finished_run_is_a_total_no_op(case: Case) -> None:
    hook = case.callback(name="hook")
    run = case.run(on_cancel=hook)
    subscriber = run.tap()
    run.finish()
    run.cancel()
    case.eventually(lambda: subscriber.done, "the subscriber gets done")
    case.never(lambda: hook.calls, "the hook is called though the run was finished before the cancel")
    assert run.cancellation.status == "planned", "the cancellation of a finished run must stay planned"
    assert not run.is_cancelled, "a run that finished before the cancel must not become cancelled"


@requirement("CANCEL-11", needs="threads")
def test_a_blocked_hook_holds_up_only_its_own_cancel(case: Case) -> None:
    hook = case.callback(wait("hook"), name="hook")
    run = case.run(on_cancel=hook)
    winner = case.start(run.cancel, name="winner")
    case.parked("hook")
    case.promptly(run.cancel, "a second cancel, while the hook of the first one blocks,")
    assert case.promptly(run.emit, "emit, while the hook blocks,"), "the run is open: emit must be accepted"
    assert case.promptly(run.finish, "finish, while the hook blocks,"), "the first finish must return true"
    assert case.promptly(run.observe, "asking for status, while the hook blocks,").is_done
    assert winner.running, "cancel returned before its hook did"
    case.gate("hook").open()
    winner.outcome(case.budgets.wait, "the cancel whose hook was let go")
