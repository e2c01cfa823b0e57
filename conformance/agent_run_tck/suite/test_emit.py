"""EMIT: accepting events."""

from collections.abc import Callable
from typing import Any

import pytest

from agent_run_tck.case import Case
from agent_run_tck.driven import AsIs, DrivenRun, Raised
from agent_run_tck.steps import emit, finish
from agent_run_tck.suite.marks import for_each_outcome, requirement
from agent_run_tck.suite.published import assert_no_seq_lost, assert_published


@requirement("EMIT-1")
@pytest.mark.parametrize("kind", ["log", "token"])
def test_emit_on_an_open_run_returns_true_and_the_event_is_published(case: Case, kind: str) -> None:
    run = case.run()
    subscriber = run.tap()
    assert run.emit(kind), f"emit of a {kind} on an open run must return true"
    case.eventually(lambda: subscriber.kinds == [kind], f"the {kind} for which emit returned true is published")


@requirement("EMIT-1")
@for_each_outcome
def test_an_accepted_event_is_published_though_the_run_ends_before_anybody_taps(case: Case, outcome: str) -> None:
    run = case.run()
    assert run.emit("token"), "emit on an open run must return true, also when nobody is tapped"
    assert run.finish(f"run-{outcome}"), "the first finish must return true"
    assert_published(case, run.tap(), "token", f"run-{outcome}")


@requirement("EMIT-1")
def test_an_event_accepted_inside_a_callback_is_published_though_the_callback_ends_the_run(
    case: Case,
) -> None:
    run = case.run()
    subscriber = run.tap({0: (emit("token"), finish(), emit("token"))})
    run.emit("log")
    assert_published(case, subscriber, "log", "token", "run-completed")
    replies = subscriber.replies(0)
    assert replies == [True, True, False], (
        f"emit, finish and emit inside a callback replied {replies}; they must reply true, true and false, "
        "and true means that the event is published"
    )


@requirement("EMIT-2")
@for_each_outcome
@pytest.mark.parametrize("count", [0, 1, 5])
def test_seqs_count_from_0_and_the_terminal_has_the_last(case: Case, count: int, outcome: str) -> None:
    run = case.run("an id of its own")
    subscriber = run.tap()
    for _ in range(count):
        run.emit("log")
    run.finish(f"run-{outcome}")
    assert_published(case, subscriber, *["log"] * count, f"run-{outcome}")
    assert subscriber.seqs == list(range(count + 1)), (
        f"the seqs are {subscriber.seqs}; they must count from 0 by one, the terminal included"
    )
    ids = {event.get("run-id") for event in subscriber.events}
    assert ids == {run.id}, f"the published events carry the run-ids {ids}; each must carry the run's, {run.id!r}"


@requirement("EMIT-2")
def test_nothing_but_acceptance_takes_a_seq(case: Case) -> None:
    run = case.run(on_cancel=case.callback(name="hook"))
    subscriber = run.tap()
    run.emit("log")
    for operation in (run.work_begin, run.cancel, run.cancel, run.work_done, run.observe):
        operation()
    run.close(run.tap())
    run.result.then()
    run.emit("log")
    run.finish("run-cancelled")
    assert_published(case, subscriber, "log", "log", "run-cancelled")
    assert_no_seq_lost(subscriber)


@requirement("EMIT-3")
@for_each_outcome
def test_emit_of_a_terminal_is_refused_and_the_run_is_as_before(case: Case, outcome: str) -> None:
    run = case.run()
    subscriber = run.tap()
    run.emit("log")
    before = run.observe()
    case.refused(lambda: run.emit(f"run-{outcome}"), f"emit of a run-{outcome}, which only finish takes,")
    after = run.observe()
    assert after == before, f"a refused terminal changed the run from {before} to {after}; it must be as before"
    assert run.emit("token"), "emit must be accepted after a terminal was refused: the run is still open"
    assert run.finish("run-completed"), "finish must be accepted after a terminal was refused: the run is still open"
    assert_published(case, subscriber, "log", "token", "run-completed")
    assert_no_seq_lost(subscriber)


@requirement("EMIT-4")
@for_each_outcome
def test_emit_on_a_closed_run_returns_false_and_publishes_nothing(case: Case, outcome: str) -> None:
    run = case.run()
    subscriber = run.tap()
    run.finish(f"run-{outcome}")
    at_once = run.emit("token")
    case.eventually(lambda: subscriber.done, "the subscriber gets done")
    replies = [at_once, run.emit("token"), run.emit("log")]
    assert replies == [False] * 3, f"emits on a closed run replied {replies}; each must reply false"
    case.never(lambda: len(subscriber.log) > 2, "anything is published behind done")
    assert_published(case, subscriber, f"run-{outcome}")


@requirement("EMIT-4")
def test_a_refused_emit_is_not_kept_for_a_tap_that_comes_later(case: Case) -> None:
    run = case.run()
    run.emit("log")
    run.finish()
    replies = [run.emit("log"), run.emit("token")]
    assert replies == [False, False], f"emits on a closed run that nobody has tapped replied {replies}: both false"
    assert_published(case, run.tap(), "log", "run-completed")


@requirement("EMIT-4")
def test_emit_on_a_closed_run_returns_false_inside_callbacks_too(case: Case) -> None:
    run = case.run()
    subscriber = run.tap({"terminal": (emit("log"),), "done": (emit("log"),)})
    continuation = run.result.then(emit("log"))
    run.finish()
    assert_published(case, subscriber, "run-completed")
    case.eventually(lambda: continuation.returned and subscriber.replies("done"), "all callbacks have returned")
    replies = [*subscriber.replies("terminal"), *subscriber.replies("done"), *continuation.replies]
    assert replies == [False] * 3, f"emits on a closed run, inside callbacks, replied {replies}; each must reply false"


@requirement("EMIT-4")
@for_each_outcome
def test_a_terminal_given_to_emit_on_a_closed_run_changes_nothing(case: Case, outcome: str) -> None:
    run = case.run()
    subscriber = run.tap()
    run.finish("run-completed")
    run.drained.kept()
    before = run.observe()
    assert not case.accepted(lambda: run.emit(f"run-{outcome}")), (
        f"emit of a run-{outcome} on a closed run was accepted; it must return false or raise"
    )
    after = run.observe()
    assert after == before, f"a terminal given to emit on a closed run changed it from {before} to {after}"
    assert_published(case, subscriber, "run-completed")


@requirement("EMIT-5")
def test_an_event_can_be_emitted_again_here_and_on_another_run(case: Case) -> None:
    one, other = case.run(), case.run()
    event = case.event("log")
    before = case.plain(event)
    replies = [one.emit(event), one.emit(event), other.emit(event)]
    assert replies == [True] * 3, f"emitting one event three times replied {replies}; an event may be emitted again"
    after = case.plain(event)
    assert after == before, f"emit changed the caller's event from {before} to {after}; it must stamp a copy"
    one.finish()
    other.finish()
    assert_stamped(case, one, "log", "log", "run-completed")
    assert_stamped(case, other, "log", "run-completed")


@requirement("EMIT-5")
@for_each_outcome
def test_a_terminal_can_finish_more_than_one_run(case: Case, outcome: str) -> None:
    one, other = case.run(), case.run()
    terminal = case.event(f"run-{outcome}")
    before = case.plain(terminal)
    other.emit("log")
    assert one.finish(terminal), "the first finish must return true"
    assert other.finish(terminal), "a terminal that finished one run must be able to finish another"
    after = case.plain(terminal)
    assert after == before, f"finish changed the caller's event from {before} to {after}; it must stamp a copy"
    assert_stamped(case, one, f"run-{outcome}")
    assert_stamped(case, other, "log", f"run-{outcome}")


@requirement("EMIT-5")
def test_an_event_that_was_refused_is_unchanged(case: Case) -> None:
    run = case.run()
    run.finish()
    event = case.event("log")
    before = case.plain(event)
    run.emit(event)
    after = case.plain(event)
    assert after == before, f"a refused emit changed the caller's event from {before} to {after}"


@requirement("EMIT-6")
def test_an_event_with_a_foreign_envelope_is_stamped_anew(case: Case) -> None:
    source, target = case.run(), case.run()
    published = source.tap()
    source.emit("log")
    source.emit("token")
    case.eventually(lambda: len(published.events) == 2, "the source's events are published")
    foreign = published.originals[1]
    assert target.emit(foreign), "an event that another run has published must be accepted"
    assert source.emit(foreign), "an event that the same run has published must be accepted"
    source.finish()
    target.finish()
    assert_stamped(case, target, "token", "run-completed")
    assert_published(case, published, "log", "token", "token", "run-completed")
    assert_no_seq_lost(published)


@requirement("EMIT-6")
def test_a_terminal_with_a_foreign_envelope_is_stamped_anew(case: Case) -> None:
    source, target = case.run(), case.run()
    published = source.tap()
    source.emit("log")
    source.finish("run-failed")
    assert_published(case, published, "log", "run-failed")
    assert target.finish(published.originals[-1]), "a terminal that another run has published must be accepted"
    assert_stamped(case, target, "run-failed")


NO_EVENTS = {
    "nothing": None,
    "a string": "log",
    "an empty object": {},
    "a number": 7,
    "a list": [],
    "a foreign object": object(),
}
in_process = requirement("EMIT-7", needs="in_process")
for_each_no_event = pytest.mark.parametrize(
    "what", [pytest.param(what, marks=in_process if what == "a foreign object" else ()) for what in NO_EVENTS]
)
OPERATIONS: dict[str, Callable[[DrivenRun, Any], bool]] = {"emit": DrivenRun.emit, "finish": DrivenRun.finish}


@requirement("EMIT-7")
@pytest.mark.parametrize("operation", OPERATIONS)
@for_each_no_event
def test_what_is_no_event_is_refused_and_the_run_goes_on(case: Case, operation: str, what: str) -> None:
    run = case.run()
    subscriber = run.tap()
    run.emit("log")
    before = run.observe()
    case.refused(
        lambda: OPERATIONS[operation](run, AsIs(NO_EVENTS[what])),
        f"{operation} of {what}, which is no event,",
    )
    after = run.observe()
    assert after == before, f"{operation} of {what} changed the run from {before} to {after}; it must go on as before"
    assert run.emit("token"), f"emit must be accepted after {operation} of {what} was refused: the run is still open"
    assert run.finish(), f"finish must be accepted after {operation} of {what} was refused: the run is still open"
    assert_published(case, subscriber, "log", "token", "run-completed")
    assert_no_seq_lost(subscriber)


def emit_made(case: Case, run: DrivenRun, data: Any) -> bool:
    try:
        event = case.event("log", {"level": "info", "data": data})
    except Exception as error:
        raise Raised("the event cannot even be made, which refuses it as well") from error
    return run.emit(event)


def in_itself() -> list[Any]:
    cycle: list[Any] = []
    cycle.append(cycle)
    return cycle


NOT_PLAIN = {
    "a foreign object": object(),
    "not a number": float("nan"),
    "a list that holds itself": in_itself(),
}


@requirement("EMIT-7", needs="in_process")
@pytest.mark.parametrize("what", NOT_PLAIN)
def test_an_event_that_has_no_plain_form_is_refused_and_the_run_goes_on(case: Case, what: str) -> None:
    run = case.run()
    subscriber = run.tap()
    run.emit("log")
    case.refused(lambda: emit_made(case, run, NOT_PLAIN[what]), f"an event that holds {what}")
    assert run.emit("token"), "emit must be accepted after an event without a plain form was refused"
    run.finish()
    assert_published(case, subscriber, "log", "token", "run-completed")
    assert_no_seq_lost(subscriber)


@requirement("EMIT-7")
@pytest.mark.parametrize("operation", OPERATIONS)
@for_each_no_event
def test_what_is_no_event_changes_nothing_on_a_closed_run(case: Case, operation: str, what: str) -> None:
    run = case.run()
    run.finish()
    reply = case.accepted(lambda: OPERATIONS[operation](run, AsIs(NO_EVENTS[what])))
    assert not reply, f"{operation} of {what} on a closed run was accepted; it must return false or raise"
    assert_published(case, run.tap(), "run-completed")


@requirement("EMIT-8")
@for_each_outcome
def test_the_stamp_keeps_the_time_of_creation(case: Case, outcome: str) -> None:
    run, other = case.run(), case.run()
    event, terminal = case.event("log"), case.event(f"run-{outcome}")
    created = [case.plain(event)["ts"], case.plain(terminal)["ts"]]
    case.eventually(lambda: case.plain(case.event("log"))["ts"] > max(created), "the clock of the events goes on")
    run.emit(event)
    run.finish(terminal)
    assert_created(case, run, created, outcome)
    other.emit(event)
    other.finish(terminal)
    assert_created(case, other, created, outcome)


@requirement("EMIT-12")
def test_emits_after_cancel_and_before_finish_are_accepted(case: Case) -> None:
    run = case.run(on_cancel=case.callback(name="hook"))
    subscriber = run.tap()
    run.emit("log")
    run.cancel()
    replies = [run.emit("token"), run.emit("token")]
    assert replies == [True, True], f"emits on a cancelled run replied {replies}; only finish closes a run"
    run.finish("run-cancelled")
    assert not run.emit("token"), "emit after the finish of a cancelled run must return false"
    assert_published(case, subscriber, "log", "token", "token", "run-cancelled")


@requirement("EMIT-12")
def test_the_hook_and_the_continuations_of_a_cancel_can_still_emit(case: Case) -> None:
    hook = case.callback(emit("token"), name="hook")
    run = case.run(on_cancel=hook)
    continuation = run.cancellation.then(emit("token"))
    run.cancel()
    case.eventually(lambda: hook.returned and continuation.returned, "hook and continuation have returned")
    replies = hook.replies + continuation.replies
    assert replies == [True, True], f"emits of hook and continuation replied {replies}; the run is open: both true"
    run.finish("run-cancelled")
    assert_published(case, run.tap(), "token", "token", "run-cancelled")


def assert_stamped(case: Case, run: DrivenRun, *kinds: str) -> None:
    """The run that is over must have published these kinds, each with the run's own envelope."""
    subscriber = run.tap()
    assert_published(case, subscriber, *kinds)
    assert_no_seq_lost(subscriber)
    ids = {event.get("run-id") for event in subscriber.events}
    assert ids == {run.id}, f"the events of {run.name} carry the run-ids {ids}; each must be stamped anew: {run.id!r}"


def assert_created(case: Case, run: DrivenRun, created: list[str], outcome: str) -> None:
    subscriber = run.tap()
    assert_published(case, subscriber, "log", f"run-{outcome}")
    times = [event["ts"] for event in subscriber.events]
    assert times == created, f"the published events have ts {times}; they must keep the ts of their creation, {created}"
