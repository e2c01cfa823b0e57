"""STREAM: what else holds while a subscriber blocks. Each requirement has its first check in `test_stream.py`."""

import pytest

from agent_run_tck.case import Case
from agent_run_tck.steps import emit, finish, wait
from agent_run_tck.suite.marks import requirement
from agent_run_tck.suite.taps import BLOCKED, blocked_tap, end, over, refuses_as_ever, saw_no_half_end, saw_seqs


@requirement("STREAM-4", needs="threads")
@pytest.mark.parametrize("moment", [0, "terminal"], ids=["before the terminal", "at the terminal"])
def test_a_tap_made_while_another_is_blocked_at_the_end_never_gets_done_alone(case: Case, moment: int | str) -> None:
    run = case.run()
    first = run.tap({moment: [wait("subscriber")]})
    case.promptly(lambda: [run.emit(), run.finish()], f"emit and finish, {BLOCKED}")
    case.parked("subscriber")
    tapping = case.start(lambda: run.tap(name="late"))  # may wait for the publisher (decision 20)
    case.eventually(lambda: "late" in run.subscribers, "the second tap is on its way")
    case.gate("subscriber").open()
    late = tapping.outcome(case.budgets.wait, "tap, after the blocked subscriber was let go,")
    over(case, first)
    saw_no_half_end(case, late)


@requirement("STREAM-7", needs="threads")
def test_what_many_threads_emit_while_a_subscriber_is_blocked_arrives_in_order(case: Case) -> None:
    run = case.run()
    subscriber = run.tap({0: [wait("subscriber")]})
    case.promptly(run.emit, "the first emit")
    case.parked("subscriber")
    case.together([lambda: run.emit_many(25)] * 4, f"emit from many threads, {BLOCKED}")
    case.gate("subscriber").open()
    end(case, run, subscriber)
    saw_seqs(subscriber, *range(102))


@requirement("STREAM-9", needs="threads")
@pytest.mark.parametrize("moment", ["terminal", "done"])
def test_a_subscriber_that_blocks_at_the_end_holds_up_no_operation(case: Case, moment: str) -> None:
    run = case.run()
    subscriber = run.tap({moment: [wait("subscriber")]})
    case.promptly(run.finish, f"finish, {BLOCKED}")
    case.parked("subscriber")
    refuses_as_ever(case, run, BLOCKED)
    case.promptly(lambda: run.close(subscriber), f"close of its tap, {BLOCKED}")
    assert subscriber.kinds == ["run-completed"], f"just the terminal must have come, not {subscriber.kinds}"


@requirement("STREAM-10", needs="threads")
def test_delivery_is_on_another_thread_than_emit_and_finish(case: Case) -> None:
    # The hook produces, on the thread of the cancel, which stays until the end: no other thread can have its identity.
    producer = case.callback(emit("assistant-message"), finish(), wait("end"), name="producer")
    run = case.run(on_cancel=producer)
    subscriber = run.tap({0: [wait("subscriber")]})
    case.start(run.cancel, name="producer")
    case.eventually(lambda: len(producer.replies) == 2, f"{BLOCKED} emit and finish return")
    case.gate("subscriber").open()
    over(case, subscriber)
    assert not set(producer.threads) & set(subscriber.threads), "a subscriber was called on the thread of emit"


@requirement("STREAM-12", needs="threads")
def test_a_first_tap_that_blocks_in_mid_backlog_gets_all_without_a_seam(case: Case) -> None:
    run = case.run()
    run.emit_many(3)
    tapping = case.start(lambda: run.tap({1: [wait("backlog")]}, name="tap"))
    case.parked("backlog")
    case.promptly(lambda: run.emit_many(2), f"emit, {BLOCKED}")
    case.gate("backlog").open()
    subscriber = tapping.outcome(case.budgets.wait, "tap, after its subscriber was let go,")
    run.emit()
    end(case, run, subscriber)
    saw_seqs(subscriber, *range(7))


@requirement("STREAM-16", needs="threads")
def test_close_waits_for_no_blocked_subscriber(case: Case) -> None:
    run = case.run()
    blocked = blocked_tap(case, run, backlog=False)
    tapping = case.start(run.tap)  # may wait for the publisher (decision 5)
    case.promptly(lambda: run.emit_many(2), f"emit, {BLOCKED}")
    case.promptly(lambda: run.close(blocked), f"close of its tap, {BLOCKED}")
    case.gate("subscriber").open()
    other = tapping.outcome(case.budgets.wait, "tap, after the blocked subscriber was let go,")
    end(case, run, other)
    case.never(lambda: len(blocked.log) > 1, "a tap that was closed while it was blocked is handed something more")
