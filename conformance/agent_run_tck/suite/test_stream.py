"""STREAM: the events stream."""

import pytest

from agent_run_tck.case import Case
from agent_run_tck.steps import Step, close, emit, finish, observe, tap, throw, value, wait
from agent_run_tck.suite.long_runs import Deliver, buffered, live, take_proportional_time
from agent_run_tck.suite.marks import for_each_outcome, requirement
from agent_run_tck.suite.taps import (
    BLOCKED,
    accepts_as_ever,
    blocked_tap,
    end,
    handed,
    over,
    refuses_as_ever,
    saw,
    saw_no_half_end,
    saw_seqs,
    saw_the_end_of,
)

for_live_and_buffered = pytest.mark.parametrize("backlog", [False, True], ids=["live", "buffered"])


@requirement("STREAM-1")
@for_each_outcome
@pytest.mark.parametrize("kinds", [[], ["run-started", "token", "log"]], ids=["no events", "events"])
def test_the_first_tap_of_a_finished_run_gets_all_of_it_and_then_done(
    case: Case, outcome: str, kinds: list[str]
) -> None:
    run = case.run()
    for kind in kinds:
        run.emit(kind)
    run.finish(f"run-{outcome}")
    run.result.kept()
    subscriber = run.tap()
    over(case, subscriber)
    saw(subscriber, *kinds, f"run-{outcome}", "done")
    saw_seqs(subscriber, *range(len(kinds) + 1))


@requirement("STREAM-1")
def test_the_first_tap_of_an_open_run_gets_everything_since_the_beginning(case: Case) -> None:
    run = case.run()
    run.emit_many(300)
    subscriber = run.tap()
    handed(case, subscriber, 300)
    end(case, run, subscriber)
    saw_seqs(subscriber, *range(301))


@requirement("STREAM-2")
@pytest.mark.parametrize("buffered", [True, False], ids=["buffered", "live"])
@pytest.mark.parametrize("closed", [True, False], ids=["first tap closed", "first tap open"])
def test_a_second_tap_sees_only_what_is_published_after_it(case: Case, buffered: bool, closed: bool) -> None:
    run = case.run()
    if buffered:
        run.emit_many(2)
    first = run.tap()
    if not buffered:
        run.emit_many(2)
    handed(case, first, 2)
    if closed:
        run.close(first)
    second = run.tap()
    run.emit("token")
    end(case, run, second)
    saw(second, "token", "run-completed", "done")


@requirement("STREAM-3")
def test_a_tap_that_comes_after_done_sees_nothing_at_all(case: Case) -> None:
    run = case.run()
    first = run.tap()
    run.emit()
    end(case, run, first)
    late = [run.tap(), run.tap()]
    case.never(lambda: late[0].log or late[1].log, "a tap made after done is handed anything, be it only done")


@requirement("STREAM-4")
@for_each_outcome
def test_done_comes_once_and_right_after_the_terminal(case: Case, outcome: str) -> None:
    run = case.run()
    first = run.tap()
    run.emit()
    handed(case, first, 1)
    second = run.tap()
    run.emit()
    end(case, run, first, second, terminal=f"run-{outcome}")
    run.finish("run-failed")
    run.emit()
    run.cancel()
    case.never(lambda: first.done + second.done > 2, "done is signalled to a tap a second time")
    for subscriber in (first, second):
        assert subscriber.log[-2:] == [f"run-{outcome}", "done"], (
            f"done must come right after the terminal and end the stream; {subscriber.name} was handed {subscriber.log}"
        )


@requirement("STREAM-4")
def test_a_tap_made_at_the_terminal_never_gets_done_alone(case: Case) -> None:
    run = case.run()
    first = run.tap({"terminal": [tap()]})
    end(case, run, first)
    saw_no_half_end(case, first.replies("terminal")[0])


@requirement("STREAM-5")
@for_each_outcome
def test_the_stream_never_ends_in_quit_whatever_callbacks_throw(case: Case, outcome: str) -> None:
    run = case.run(on_cancel=case.callback(throw(), name="hook"))
    thrower = run.tap({0: [throw()], "terminal": [throw()], "done": [throw()]})
    other = run.tap()
    run.result.then(throw())
    run.emit()
    run.cancel()
    run.finish(f"run-{outcome}")
    case.eventually(lambda: thrower.log, "the subscriber is called")
    case.never(lambda: thrower.quit or other.quit, f"the stream of a run that is {outcome} ends in quit")


@requirement("STREAM-6")
@for_each_outcome
def test_there_is_one_terminal_and_nothing_after_it(case: Case, outcome: str) -> None:
    run = case.run()
    subscriber = run.tap({"terminal": [emit(), finish("run-failed")]})
    run.emit()
    run.cancel()
    end(case, run, subscriber, terminal=f"run-{outcome}")
    run.emit()
    run.finish("run-cancelled")
    case.never(lambda: len(subscriber.events) > 2, "an event follows the terminal, or comes beside it")
    assert subscriber.kinds == ["log", f"run-{outcome}"], (
        f"a stream has one terminal, and it is the last event; this one had {subscriber.kinds}"
    )


@requirement("STREAM-7")
def test_events_arrive_in_the_order_in_which_they_were_accepted(case: Case) -> None:
    run = case.run()
    subscribers = [run.tap(), run.tap()]
    for number in range(200):
        run.emit("log", {"level": "info", "data": str(number)})
    end(case, run, *subscribers)
    for subscriber in subscribers:
        saw_seqs(subscriber, *range(201))
        data = [event["data"] for event in subscriber.events[:-1]]
        assert data == list(map(str, range(200))), f"{subscriber.name} must get what was emitted, in order; not {data}"


@requirement("STREAM-7")
def test_what_is_emitted_between_two_taps_is_neither_reordered_nor_doubled(case: Case) -> None:
    run = case.run()
    first = run.tap()
    run.emit()
    handed(case, first, 1)
    run.close(first)
    run.emit_many(2)
    second = run.tap()
    run.emit()
    end(case, run, second)
    saw_the_end_of(case, second, [1, 2, 3, 4], at_least=2)


@requirement("STREAM-8")
@pytest.mark.parametrize("base", [False, True], ids=["exception", "base exception"])
@pytest.mark.parametrize("moment", [0, "token", "terminal", "done"])
def test_a_subscriber_that_throws_loses_nothing_more(case: Case, moment: int | str, base: bool) -> None:
    run = case.run()
    thrower, other = run.tap({moment: [throw(base)]}), run.tap()
    for kind in ("log", "token", "token"):
        assert run.emit(kind), "emit must accept, whatever a subscriber throws"
    assert run.finish("run-failed", error="why"), "the first finish must return true, whatever a subscriber throws"
    over(case, thrower, other)
    for subscriber in (thrower, other):
        saw(subscriber, "log", "token", "token", "run-failed", "done")
    result = run.result.kept()
    assert (result["outcome"], result["error"]) == ("failed", "why"), f"a throw changed the result to {result}"
    run.drained.kept()


@requirement("STREAM-8")
@pytest.mark.parametrize("base", [False, True], ids=["exception", "base exception"])
def test_a_subscriber_that_throws_on_buffered_events_loses_nothing_more(case: Case, base: bool) -> None:
    run = case.run()
    run.emit("log")
    run.emit("token")
    thrower = run.tap({0: [throw(base)], "token": [throw(base)], "terminal": [throw(base)]})
    assert run.emit("token"), "emit must accept, whatever a subscriber throws"
    assert run.finish(), "the first finish must return true, whatever a subscriber throws"
    over(case, thrower)
    saw(thrower, "log", "token", "token", "run-completed", "done")


@requirement("STREAM-9", needs="threads")
@for_live_and_buffered
def test_a_blocked_subscriber_holds_up_no_operation_and_no_promise(case: Case, backlog: bool) -> None:
    hook = case.callback(name="hook")
    run = case.run(on_cancel=hook)
    subscriber = blocked_tap(case, run, backlog)
    accepts_as_ever(case, run, BLOCKED)
    refuses_as_ever(case, run, BLOCKED)
    assert hook.calls, f"{BLOCKED} cancel must call the hook"
    case.gate("subscriber").open()
    over(case, subscriber)
    saw(subscriber, "log", "log", "run-completed", "done")


@requirement("STREAM-10")
@pytest.mark.parametrize("operation", [emit(), finish()], ids=["emit", "finish"])
def test_emit_and_finish_return_before_delivery_begins(case: Case, operation: Step) -> None:
    # The hook closes the tap right after: on one thread, only what was delivered inside the operation can arrive.
    hook = case.callback(operation, close("tap"), name="hook")
    run = case.run(on_cancel=hook)
    run.tap(name="tap")
    other = run.tap()
    run.cancel()
    handed(case, other, 1)
    case.never(
        lambda: set(hook.threads) & set(run.subscribers["tap"].threads),
        "a subscriber is called by the thread that is inside emit or finish",
    )


@requirement("STREAM-11", needs="threads")
def test_a_tap_is_in_one_callback_at_a_time(case: Case) -> None:
    run = case.run()
    subscriber = run.tap({0: [wait("event")], "terminal": [wait("terminal")]})
    case.promptly(run.emit, f"emit, {BLOCKED}")
    case.parked("event")
    case.together([run.emit] * 3, f"emit from several threads, {BLOCKED}")
    case.never(lambda: len(subscriber.events) > 1, "a tap is handed an event while it is still busy with another one")
    case.gate("event").open()
    case.promptly(run.finish, "finish")
    case.parked("terminal")
    case.promptly(run.emit, f"emit, {BLOCKED}")
    case.never(lambda: subscriber.done, "a tap is handed done while it is still busy with the terminal")
    case.gate("terminal").open()
    over(case, subscriber)
    assert subscriber.most_at_once == 1, f"a tap was in {subscriber.most_at_once} callbacks at once"


@requirement("STREAM-12")
def test_what_is_emitted_in_mid_backlog_follows_the_backlog(case: Case) -> None:
    run = case.run()
    run.emit_many(3)
    subscriber = run.tap({0: [emit("token")], 1: [emit("token")], 2: [emit("token")]})
    handed(case, subscriber, 6)
    end(case, run, subscriber)
    saw_seqs(subscriber, *range(7))


@requirement("STREAM-13")
@for_each_outcome
def test_a_second_tap_that_is_live_at_the_end_gets_terminal_and_done(case: Case, outcome: str) -> None:
    run = case.run()
    run.emit()
    first = run.tap()
    handed(case, first, 1)
    second = run.tap()
    end(case, run, first, second, terminal=f"run-{outcome}")
    assert second.log[-2:] == [f"run-{outcome}", "done"], (
        f"a tap that is live at the end must be handed the terminal and done; it was handed {second.log}"
    )


@requirement("STREAM-14")
@for_each_outcome
def test_the_result_is_kept_when_a_subscriber_is_handed_the_terminal(case: Case, outcome: str) -> None:
    run = case.run()
    subscriber = run.tap({"terminal": [observe(), value("result")]})
    end(case, run, subscriber, terminal=f"run-{outcome}")
    observed, result = subscriber.replies("terminal")
    assert observed.is_done, "is_done must be true when a subscriber is handed the terminal"
    assert observed.result == "kept", f"the result must be kept in the terminal's callback; it was {observed.result}"
    assert result["outcome"] == outcome, f"the outcome must be {outcome} in the terminal's callback, not {result}"


@requirement("STREAM-15")
def test_an_event_emitted_by_a_subscriber_queues_behind_what_is_accepted(case: Case) -> None:
    run = case.run()
    first = run.tap({"run-started": [emit("log"), emit("log")], 1: [emit("token")]})
    second = run.tap()
    run.emit("run-started")
    handed(case, first, 4)
    end(case, run, first, second)
    assert first.most_at_once == 1, "an event was delivered into a tap from inside that tap's own callback"
    for subscriber in (first, second):
        saw(subscriber, "run-started", "log", "log", "token", "run-completed", "done")


@requirement("STREAM-16")
def test_a_closed_tap_is_handed_nothing_more_and_no_other_tap_notices(case: Case) -> None:
    run = case.run()
    closing, other = run.tap(), run.tap()
    run.emit()
    handed(case, closing, 1)
    handed(case, other, 1)
    run.close(closing)
    run.close(closing)
    assert run.emit(), "closing a tap does not close the run: emit must return true"
    assert not run.is_cancelled, "closing a tap must not cancel the run"
    end(case, run, other)
    saw(other, "log", "log", "run-completed", "done")
    case.never(lambda: len(closing.log) > 1, "a tap is handed something after its close has returned")
    run.close(other)


@requirement("STREAM-16")
@pytest.mark.parametrize("moment", [1, "terminal"])
def test_a_tap_may_be_closed_inside_its_own_callback(case: Case, moment: int | str) -> None:
    run = case.run()
    closing, other = run.tap({moment: [close("closing")]}, name="closing"), run.tap()
    run.emit_many(2)
    end(case, run, other)
    saw(other, "log", "log", "run-completed", "done")
    last = 2 if moment == 1 else 3
    handed(case, closing, last)
    case.never(lambda: len(closing.log) > last, "a tap that closed itself is handed something more, done included")
    assert len(closing.log) == last, f"until its close the tap must be handed {last} events, not {closing.log}"


@requirement("STREAM-16")
def test_the_last_tap_may_leave_and_the_run_goes_on(case: Case) -> None:
    run = case.run()
    run.close(run.tap())
    assert run.emit(), "emit must return true though every tap is closed"
    assert run.finish(), "finish must return true though every tap is closed"
    assert run.result.kept()["outcome"] == "completed", "the run must be completed though every tap is closed"
    assert not run.is_cancelled, "the last tap that leaves must not cancel the run"


@requirement("STREAM-16")
def test_a_tap_closed_inside_the_callback_of_another_is_not_handed_the_same_event(case: Case) -> None:
    run = case.run()
    first = run.tap({1: [close("second")]}, name="first")
    second = run.tap({1: [close("first")]}, name="second")
    other = run.tap()
    run.emit_many(3)
    end(case, run, other)
    saw_seqs(other, *range(4))
    case.never(lambda: min(len(first.log), len(second.log)) > 2, "neither of two taps is closed by the other one")
    # On one thread, the callback that closes is over before the other one could begin.
    assert not set(first.threads[1:2]) & set(second.threads[1:2]), (
        "two taps close each other on the same event: the one that is closed first must not be handed it any more"
    )


@requirement("STREAM-17", patience=10)
@pytest.mark.parametrize("deliver", [live, buffered])
def test_long_runs_arrive_complete_in_proportional_time(case: Case, deliver: Deliver) -> None:
    take_proportional_time(case, deliver)


@requirement("STREAM-17", patience=3)
def test_a_long_chain_of_events_emitted_by_a_subscriber_arrives(case: Case) -> None:
    run = case.run()
    subscriber = run.tap({number: [emit()] for number in range(1000)})
    run.emit()
    for so_many in range(101, 1002, 100):  # each hundred has the whole budget, for the machine may be busy
        handed(case, subscriber, so_many)
    end(case, run, subscriber)
    saw_seqs(subscriber, *range(1002))
