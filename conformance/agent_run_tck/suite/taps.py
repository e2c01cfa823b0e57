"""What taps were handed, and the waits for it."""

from agent_run_tck.callbacks import Subscriber
from agent_run_tck.case import Case
from agent_run_tck.driven import DrivenRun
from agent_run_tck.steps import wait

BLOCKED = "while a subscriber is blocked,"


def handed(case: Case, subscriber: Subscriber, count: int) -> None:
    case.eventually(lambda: len(subscriber.events) >= count, f"{subscriber.name} is handed {count} events")


def over(case: Case, *subscribers: Subscriber) -> None:
    names = " and ".join(subscriber.name for subscriber in subscribers)
    case.eventually(lambda: all(subscriber.done for subscriber in subscribers), f"done is handed to {names}")


def end(case: Case, run: DrivenRun, *subscribers: Subscriber, terminal: str = "run-completed") -> None:
    """Finish the run and wait until the subscribers have been handed done."""
    run.finish(terminal)
    over(case, *subscribers)


def saw(subscriber: Subscriber, *expected: str) -> None:
    assert subscriber.log == list(expected), (
        f"{subscriber.name} must be handed just {', '.join(expected)}; it was handed {', '.join(subscriber.log)}"
    )


def saw_seqs(subscriber: Subscriber, *expected: int) -> None:
    assert subscriber.seqs == list(expected), (
        f"{subscriber.name} must be handed just the events with seq {list(expected)}; it was handed {subscriber.seqs}"
    )


def saw_the_end_of(case: Case, subscriber: Subscriber, seqs: list[int], at_least: int) -> None:
    """What a tap may see of events that came while every tap was closed (decisions 8, 15 and 24).

    Those that are dropped are dropped when their turn comes, so some of the last ones may still reach the tap.
    """
    seen = subscriber.seqs
    count = len(seqs) if case.capabilities.buffers_gaps else max(at_least, len(seen))
    assert seen == seqs[-count:], (
        f"what is emitted between two taps must be dropped or kept in order, as buffers_gaps says; the second tap must "
        f"be handed the last {count} of {seqs}, it was handed {seen}"
    )


def saw_no_half_end(case: Case, late: Subscriber) -> None:
    """What a tap made between finish and done may see: nothing, or an end that is whole (decision 19)."""
    case.never(lambda: late.log[:1] == ["done"], f"{late.name} is handed done without the terminal before it")
    if seen := late.log.copy():
        over(case, late)
        seen = late.log.copy()
    assert seen[-2:] in ([], ["run-completed", "done"]), (
        f"a tap made between finish and done must get the terminal and done, or nothing; it was handed {seen}"
    )


def blocked_tap(case: Case, run: DrivenRun, backlog: bool) -> Subscriber:
    """A tap that stands at the gate `subscriber` with the first event, which was buffered or comes live."""
    if backlog:
        run.emit()
    # With a backlog, tap itself may be held up by its subscriber (decision 20).
    tapping = case.start(lambda: run.tap({0: [wait("subscriber")]}, name="blocked"))
    if not backlog:
        tapping.outcome(case.budgets.wait, "tap, with nothing buffered,")
        case.promptly(run.emit, f"emit, {BLOCKED}")
    case.parked("subscriber")
    return run.subscribers["blocked"]


def accepts_as_ever(case: Case, run: DrivenRun, when: str) -> None:
    """Everything that an open run does goes on, and then finish ends it."""
    assert case.promptly(run.emit, f"emit, {when}"), f"{when} emit must return true"
    assert case.promptly(run.work_begin, f"work_begin, {when}"), f"{when} work_begin must return true"
    case.promptly(run.work_done, f"work_done, {when}")
    case.promptly(run.cancel, f"cancel, {when}")
    continuation = case.promptly(run.drained.then, f"then, {when}")
    case.promptly(run.observe, f"asking for status, {when}")
    assert case.promptly(run.finish, f"finish, {when}"), f"{when} the first finish must return true"
    for promise in (run.result, run.cancellation, run.drained):
        promise.kept()
    case.eventually(lambda: continuation.calls, f"{when} the continuation of drained is called")


def refuses_as_ever(case: Case, run: DrivenRun, when: str) -> None:
    """A finished run answers, keeps its promises and calls continuations."""
    assert not case.promptly(run.emit, f"emit, {when}"), f"{when} emit on a finished run must return false"
    assert not case.promptly(run.finish, f"finish, {when}"), f"{when} a second finish must return false"
    assert not case.promptly(run.work_begin, f"work_begin, {when}"), f"{when} a finished run opens no section"
    case.promptly(run.work_done, f"work_done, {when}")
    case.promptly(run.cancel, f"cancel, {when}")
    continuation = case.promptly(run.result.then, f"then, {when}")
    case.eventually(lambda: continuation.calls, f"{when} the continuation of result is called")
    run.drained.kept()
