"""CANCEL: asking the run to stop."""

import pytest

from agent_run_tck.callbacks import Callback
from agent_run_tck.case import Case
from agent_run_tck.driven import DrivenRun
from agent_run_tck.steps import cancel, finish, observe, throw, wait
from agent_run_tck.suite.marks import for_each_outcome, requirement
from agent_run_tck.suite.published import assert_published


@requirement("CANCEL-1")
def test_the_first_cancel_keeps_the_cancellation_and_calls_the_hook_once(case: Case) -> None:
    hook = case.callback(name="hook")
    run = case.run(on_cancel=hook)
    continuation = run.cancellation.then()
    assert run.cancellation.status == "planned", "the cancellation must be planned as long as nobody cancels"
    run.cancel()
    assert run.cancellation.kept() is True, "the cancellation must be kept with true"
    assert run.is_cancelled, "is_cancelled must be true once the cancellation is kept"
    assert len(hook.calls) == 1, f"the first cancel must call the hook once; it called it {len(hook.calls)} times"
    case.eventually(lambda: continuation.calls, "the continuation of the cancellation is called")
    assert continuation.calls == [(True,)], f"the continuation got {continuation.calls}; it must get true, once"


@requirement("CANCEL-1")
def test_the_hook_is_not_called_before_somebody_cancels(case: Case) -> None:
    hook = case.callback(name="hook")
    run = case.run(on_cancel=hook)
    run.tap()
    run.work_begin()
    run.emit("log")
    run.work_done()
    assert not hook.calls, "the hook was called though nobody cancelled"
    run.cancel()
    assert len(hook.calls) == 1, f"the first cancel must call the hook once; it called it {len(hook.calls)} times"


@requirement("CANCEL-2")
def test_later_cancels_do_nothing(case: Case) -> None:
    hook = case.callback(name="hook")
    run = case.run(on_cancel=hook)
    continuation = run.cancellation.then()
    run.cancel()
    first = run.cancellation.value
    run.cancel()
    run.cancel()
    run.finish("run-cancelled")
    run.cancel()
    case.eventually(lambda: continuation.calls, "the continuation of the cancellation is called")
    assert_nothing_twice(case, hook, continuation)
    after = run.cancellation.value
    assert after == first, f"later cancels changed the value of the cancellation from {first!r} to {after!r}"


@requirement("CANCEL-2")
def test_a_cancel_inside_the_hook_does_nothing(case: Case) -> None:
    hook = case.callback(cancel(), name="hook")
    run = case.run(on_cancel=hook)
    continuation = run.cancellation.then(cancel())
    run.cancel()
    case.eventually(lambda: continuation.returned, "the cancel inside the continuation has returned")
    assert_nothing_twice(case, hook, continuation)


@requirement("CANCEL-3")
@pytest.mark.parametrize("base", [False, True], ids=["an ordinary exception", "any exception"])
def test_a_hook_that_throws_loses_nothing_else(case: Case, base: bool) -> None:
    run = case.run(on_cancel=case.callback(throw(base), name="hook"))
    continuation = run.cancellation.then()
    run.work_begin()
    run.cancel()
    run.cancellation.kept()
    case.eventually(lambda: continuation.calls, "the continuation of the cancellation is called though the hook threw")
    run.cancel()
    replies = [run.emit("log"), run.work_begin(), run.finish("run-cancelled")]
    assert replies == [True] * 3, (
        f"emit, work_begin and finish after a throwing hook replied {replies}: all must be true"
    )
    run.work_done()
    run.work_done()
    run.drained.kept()
    assert_published(case, run.tap(), "log", "run-cancelled")


@requirement("CANCEL-3")
@for_each_outcome
def test_cancel_throws_in_no_state_of_the_run(case: Case, outcome: str) -> None:
    hook = case.callback(throw(), name="hook")
    cancelled, finished = case.run(on_cancel=hook), case.run(on_cancel=hook)
    cancelled.cancel()
    for run in (cancelled, finished):
        run.finish(f"run-{outcome}")
        run.cancel()
        run.drained.kept()
        run.cancel()
    assert cancelled.is_cancelled, "a cancel before the finish must count, whatever the hook throws"
    assert not finished.is_cancelled, "a cancel after the finish must not count"


@requirement("CANCEL-3")
def test_cancel_does_not_throw_what_a_continuation_throws(case: Case) -> None:
    hook = case.callback(name="hook")
    run = case.run(on_cancel=hook)
    continuation = run.cancellation.then(throw())
    run.cancel()
    case.eventually(lambda: continuation.returned, "the continuation of the cancellation is called")
    assert len(hook.calls) == 1, "the hook must be called though a continuation of the cancellation throws"


@requirement("CANCEL-4")
def test_the_hook_has_run_when_the_winning_cancel_returns(case: Case) -> None:
    hook = case.callback(name="hook")
    run = case.run(on_cancel=hook)
    run.cancel()
    assert hook.returned == 1, "cancel returned before the hook had run"
    assert run.cancellation.status == "kept", "the winning cancel returned before the cancellation was seen kept"


@requirement("CANCEL-4")
def test_the_hook_has_run_when_a_cancel_inside_a_subscriber_returns(case: Case) -> None:
    run = case.run(on_cancel=case.callback(finish("run-cancelled"), name="hook"))
    subscriber = run.tap({0: (cancel(), observe())})
    run.emit("log")
    case.eventually(lambda: len(subscriber.replies(0)) == 2, "the subscriber that cancels has come to its end")
    seen = subscriber.replies(0)[1]
    assert seen.is_cancelled, "the winning cancel returned before the cancellation was seen kept"
    assert seen.is_done, "cancel returned before the hook, which finishes the run, had run"
    assert_published(case, subscriber, "log", "run-cancelled")


@requirement("CANCEL-4", needs="threads")
def test_cancel_works_on_another_thread(case: Case) -> None:
    hook = case.callback(name="hook")
    run = case.run(on_cancel=hook)
    case.promptly(run.cancel, "cancel on a thread that did not create the run")
    assert hook.returned == 1, "a cancel on another thread than the run was created on must call the hook"
    assert run.is_cancelled, "a cancel on another thread than the run was created on must keep the cancellation"


@requirement("CANCEL-4", needs="threads")
def test_the_hook_runs_on_the_thread_of_the_cancel(case: Case) -> None:
    inner = case.callback(name="inner hook")
    outer = case.callback(cancel(on="inner"), name="outer hook")
    case.run(on_cancel=inner, name="inner")
    run = case.run(on_cancel=outer, name="outer")
    case.promptly(run.cancel, "cancel")
    # The outer hook is itself the caller of a cancel, and both hooks have noted their thread.
    assert inner.threads == outer.threads, "the hook must be called on the thread of the cancel that won"


@requirement("CANCEL-5")
def test_a_cancelled_run_is_as_open_as_it_was(case: Case) -> None:
    run = case.run(on_cancel=case.callback(name="hook"))
    subscriber = run.tap()
    run.emit("log")
    run.cancel()
    assert not run.is_done, "cancel must not end the run: is_done is true before anybody finished it"
    assert run.result.status == "planned", "cancel must not keep the result"
    replies = [run.emit("token"), run.work_begin(), run.emit("token")]
    assert replies == [True] * 3, (
        f"emit, work_begin and emit after a cancel replied {replies}; the run is open: all true"
    )
    case.eventually(lambda: len(subscriber.events) == 3, "events emitted after the cancel are delivered")
    case.never(lambda: subscriber.done or run.is_done, "cancel ends the stream or the run")
    assert run.finish("run-cancelled"), "the first finish after a cancel must return true"
    assert_published(case, subscriber, "log", "token", "token", "run-cancelled")


@requirement("CANCEL-5")
def test_cancel_keeps_the_backlog_for_the_first_tap(case: Case) -> None:
    run = case.run()
    run.emit("log")
    run.cancel()
    subscriber = run.tap()
    case.eventually(lambda: subscriber.kinds == ["log"], "an event accepted before the cancel is delivered after it")
    run.finish("run-cancelled")
    assert_published(case, subscriber, "log", "run-cancelled")


@requirement("CANCEL-5")
def test_cancel_leaves_the_sections_as_they_are(case: Case) -> None:
    run = case.run(on_cancel=case.callback(name="hook"))
    for _ in range(2):
        run.work_begin()
    run.cancel()
    run.work_done()
    run.finish("run-cancelled")
    case.never(lambda: run.drained.status == "kept", "drained is kept though one section is open after the cancel")
    run.work_done()
    run.drained.kept()


@requirement("CANCEL-6")
@for_each_outcome
def test_cancel_of_a_finished_run_is_a_total_no_op(case: Case, outcome: str) -> None:
    hook = case.callback(name="hook")
    run = case.run(on_cancel=hook)
    subscriber, continuation = run.tap(), run.cancellation.then()
    run.finish(f"run-{outcome}")
    run.cancel()
    run.cancel()
    case.eventually(lambda: subscriber.done, "the subscriber gets done")
    case.never(lambda: hook.calls, "the hook is called though the run was finished before the cancel")
    assert run.cancellation.status == "planned", "the cancellation of a finished run must stay planned"
    assert not run.is_cancelled, "a run that finished before the cancel must not become cancelled"
    assert not continuation.calls, "a continuation of the cancellation was called though the run was finished before"
    found = run.result.value["outcome"]
    assert found == outcome, f"cancel of a finished run changed the outcome from {outcome!r} to {found!r}"
    assert_published(case, subscriber, f"run-{outcome}")


@requirement("CANCEL-6")
def test_cancel_of_a_finished_run_is_a_no_op_while_sections_are_open(case: Case) -> None:
    hook = case.callback(name="hook")
    run = case.run(on_cancel=hook)
    run.work_begin()
    run.finish()
    run.cancel()
    case.never(
        lambda: hook.calls or run.is_cancelled or run.drained.status == "kept",
        "a cancel of a finished run calls the hook, or keeps the cancellation, or drained past a section",
    )
    run.work_done()
    run.drained.kept()


@requirement("CANCEL-6")
def test_cancel_inside_the_callbacks_of_a_finished_run_is_a_no_op(case: Case) -> None:
    hook = case.callback(name="hook")
    run = case.run(on_cancel=hook)
    subscriber = run.tap({"terminal": (cancel(),), "done": (cancel(),)})
    continuation = run.result.then(cancel())
    run.finish()
    case.eventually(lambda: continuation.returned, "the cancel inside the continuation of the result has returned")
    case.eventually(lambda: subscriber.replies("done"), "the cancel at done has returned")
    assert not hook.calls, "the hook was called though the run was finished before each cancel"
    assert not run.is_cancelled, "a run that finished before each cancel must not become cancelled"


@requirement("CANCEL-7")
def test_the_cancellation_is_kept_before_the_hook_is_called(case: Case) -> None:
    hook = case.callback(observe(), name="hook")
    run = case.run(on_cancel=hook)
    run.cancel()
    case.eventually(lambda: hook.replies, "the hook is called")
    seen = hook.replies[0]
    assert seen.is_cancelled, "inside the hook is_cancelled must be true already"
    assert seen.cancellation == "kept", f"inside the hook the cancellation is {seen.cancellation}; it must be kept"


@requirement("CANCEL-8")
def test_a_run_without_a_hook_can_be_cancelled(case: Case) -> None:
    run = case.run()
    continuation = run.cancellation.then()
    run.cancel()
    run.cancel()
    assert run.cancellation.kept() is True, "the cancellation of a run without a hook must be kept with true"
    assert run.is_cancelled, "a run without a hook must be cancelled by a cancel"
    case.eventually(lambda: continuation.calls, "the continuation of the cancellation is called")
    assert run.finish("run-cancelled"), "the first finish of a cancelled run must return true"
    run.drained.kept()


@requirement("CANCEL-11", needs="threads")
def test_a_blocked_hook_holds_up_only_its_own_cancel(case: Case) -> None:
    hook = case.callback(wait("hook"), name="hook")
    run = case.run(on_cancel=hook)
    winner = case.start(run.cancel, name="winner")
    case.parked("hook")
    case.promptly(run.cancel, "a second cancel, while the hook of the first one blocks,")
    assert case.promptly(run.emit, "emit, while the hook blocks,"), "the run is open: emit must be accepted"
    assert case.promptly(run.work_begin, "work_begin, while the hook blocks,"), "the run is open: it must return true"
    case.promptly(run.work_done, "work_done, while the hook blocks,")
    assert case.promptly(run.finish, "finish, while the hook blocks,"), "the first finish must return true"
    assert case.promptly(run.observe, "asking for status, while the hook blocks,").is_done, "the run is finished"
    assert winner.running, "cancel returned before its hook did"
    case.gate("hook").open()
    winner.outcome(case.budgets.wait, "the cancel whose hook was let go")
    assert len(hook.calls) == 1, f"two cancels called the hook {len(hook.calls)} times; once is right"


@requirement("CANCEL-11", needs="threads")
def test_a_blocked_hook_does_not_hold_up_delivery(case: Case) -> None:
    run = case.run(on_cancel=case.callback(wait("hook"), name="hook"))
    subscriber = run.tap()
    continuation = run.result.then()
    winner = case.start(run.cancel, name="winner")
    case.parked("hook")
    case.promptly(run.emit, "emit, while the hook blocks,")
    case.eventually(lambda: subscriber.kinds == ["log"], "an event is delivered while the hook blocks")
    case.promptly(lambda: run.finish("run-cancelled"), "finish, while the hook blocks,")
    assert_published(case, subscriber, "log", "run-cancelled")
    case.eventually(lambda: continuation.calls, "the continuation of the result is called while the hook blocks")
    late = case.promptly(run.tap, "tap, while the hook blocks,")
    case.promptly(lambda: run.close(late), "close, while the hook blocks,")
    case.gate("hook").open()
    winner.outcome(case.budgets.wait, "the cancel whose hook was let go")


@requirement("CANCEL-12", needs="threads")
def test_cancel_takes_effect_while_events_wait_behind_a_blocked_subscriber(case: Case) -> None:
    hook = case.callback(name="hook")
    run = case.run(on_cancel=hook)
    subscriber = run.tap({0: (wait("subscriber"),)})
    run.emit("log")
    case.parked("subscriber")
    for _ in range(3):
        run.emit("token")
    case.promptly(run.cancel, "cancel, while events wait behind a blocked subscriber,")
    assert hook.returned == 1, "cancel must call the hook while events wait behind a blocked subscriber"
    assert run.is_cancelled, "cancel must keep the cancellation while events wait behind a blocked subscriber"
    run.finish("run-cancelled")
    case.gate("subscriber").open()
    assert_published(case, subscriber, "log", "token", "token", "token", "run-cancelled")


@requirement("CANCEL-13")
@for_each_outcome
def test_a_cancel_before_the_first_event_counts(case: Case, outcome: str) -> None:
    hook = case.callback(name="hook")
    run = case.run(on_cancel=hook)
    run.cancel()
    assert len(hook.calls) == 1, "a cancel before the first event must call the hook"
    assert_cancelled(run, "after the cancel")
    run.work_begin()
    run.emit("log")
    assert_cancelled(run, "after the driver has started")
    run.finish(f"run-{outcome}")
    run.work_done()
    assert_cancelled(run, "after the finish")


def assert_nothing_twice(case: Case, hook: Callback, continuation: Callback) -> None:
    case.never(
        lambda: len(hook.calls) > 1 or len(continuation.calls) > 1,
        "a later cancel calls the hook or the continuation of the cancellation again",
    )
    assert len(hook.calls) == 1, f"the hook was called {len(hook.calls)} times; several cancels must call it once"


def assert_cancelled(run: DrivenRun, when: str) -> None:
    assert run.is_cancelled, f"a cancel before the first event must count: is_cancelled is false {when}"
    assert run.cancellation.status == "kept", f"a cancel before the first event must count: it is planned {when}"
