"""DRAIN: producer quiescence."""

import pytest

from agent_run_tck.case import Case
from agent_run_tck.driven import DrivenRun
from agent_run_tck.steps import emit, finish, wait, work_begin
from agent_run_tck.suite.marks import for_each_outcome, requirement
from agent_run_tck.suite.published import assert_held, assert_published

SECTION = ("work_begin", "work_done")
ON_AN_OPEN_RUN = {
    "nothing": (),
    "events": ("emit", "emit"),
    "one section": SECTION,
    "one section after another": SECTION * 3,
    "nested sections": ("work_begin", *SECTION, "emit", *SECTION, "work_done"),
    "a section that stays open": ("work_begin", *SECTION),
    "a cancel": ("cancel",),
    "a cancel after the last section": (*SECTION, "cancel"),
    "a cancel inside a section": ("work_begin", "cancel", "cancel", "work_done"),
}


@requirement("DRAIN-1")
@pytest.mark.parametrize("what", ON_AN_OPEN_RUN)
def test_drained_is_planned_as_long_as_the_run_is_open(case: Case, what: str) -> None:
    run = case.run(on_cancel=case.callback(name="hook"))
    continuation = run.drained.then()
    for operation in ON_AN_OPEN_RUN[what]:
        getattr(run, operation)()
        assert run.drained.status == "planned", f"drained was kept by {operation}, though the run is open"
    case.never(
        lambda: continuation.calls or run.drained.status == "kept",
        f"drained is kept on an open run that has seen {what}",
    )
    assert run.emit(), f"after {what} the run is open: emit must return true"
    finish_and_close(run, ON_AN_OPEN_RUN[what])
    run.drained.kept()


@requirement("DRAIN-2")
@for_each_outcome
def test_finish_alone_keeps_drained_when_no_section_was_ever_opened(case: Case, outcome: str) -> None:
    run = case.run()
    continuation = run.drained.then()
    run.finish(f"run-{outcome}")
    case.eventually(lambda: continuation.calls, "the continuation of drained is called, without any further operation")
    assert continuation.calls == [(True,)], (
        f"the continuation of drained got {continuation.calls}; it must get true, once"
    )
    assert run.drained.kept() is True, "drained must be kept with true"


@requirement("DRAIN-2")
@pytest.mark.parametrize("what", [what for what in ON_AN_OPEN_RUN if what != "a section that stays open"])
def test_finish_keeps_drained_once_all_sections_are_closed(case: Case, what: str) -> None:
    run = case.run(on_cancel=case.callback(name="hook"))
    continuation = run.drained.then()
    for operation in ON_AN_OPEN_RUN[what]:
        getattr(run, operation)()
    run.finish("run-failed")
    assert run.drained.kept() is True, "drained must be kept with true"
    case.eventually(lambda: continuation.calls, "the continuation of drained is called, without any further operation")


@requirement("DRAIN-3")
@for_each_outcome
def test_an_open_section_holds_drained_and_not_the_result(case: Case, outcome: str) -> None:
    run = case.run()
    subscriber, result, drained = run.tap(), run.result.then(), run.drained.then()
    run.work_begin()
    run.finish(f"run-{outcome}")
    assert run.result.status == "kept", "the result must be kept while a section is open"
    case.eventually(lambda: result.calls, "the continuation of the result is called while a section is open")
    assert_published(case, subscriber, f"run-{outcome}")
    assert_held(case, run, "one section is open")
    assert not drained.calls, "the continuation of drained was called while a section is open"
    run.work_done()
    run.drained.kept()


@requirement("DRAIN-3")
def test_an_open_section_holds_drained_of_a_cancelled_run(case: Case) -> None:
    run = case.run(on_cancel=case.callback(name="hook"))
    run.work_begin()
    run.cancel()
    run.finish("run-cancelled")
    assert run.result.value["outcome"] == "cancelled", "the result must be kept at once, with the terminal's outcome"
    assert_held(case, run, "one section is open")
    run.work_done()
    run.drained.kept()


@requirement("DRAIN-4")
@pytest.mark.parametrize("before", [0, 1, 2])
@pytest.mark.parametrize("after", [1, 2, 3])
def test_the_last_work_done_of_a_closed_run_keeps_drained(case: Case, before: int, after: int) -> None:
    run = case.run()
    continuation = run.drained.then()
    for _ in range(before + after):
        run.work_begin()
    for _ in range(before):
        run.work_done()
    run.finish()
    for left in range(after - 1, 0, -1):
        run.work_done()
        assert run.drained.status == "planned", f"work_done kept drained with {left} more sections open"
    assert_held(case, run, "one section is still open")
    run.work_done()
    case.eventually(lambda: continuation.calls, "the last work_done of a closed run leads to drained being kept")
    assert run.drained.kept() is True, "drained must be kept with true"


@requirement("DRAIN-5")
@for_each_outcome
def test_drained_does_not_wait_for_anybody_to_tap(case: Case, outcome: str) -> None:
    run = case.run()
    run.work_begin()
    run.emit("log")
    run.work_done()
    run.finish(f"run-{outcome}")
    assert run.drained.kept() is True, "drained must be kept with true, though nothing was delivered"
    assert_published(case, run.tap(), "log", f"run-{outcome}")


@requirement("DRAIN-5", needs="threads")
@pytest.mark.parametrize("moment", ["log", "terminal", "done"])
@pytest.mark.parametrize("sections", [0, 1])
def test_drained_does_not_wait_for_a_blocked_subscriber(case: Case, moment: str, sections: int) -> None:
    run = case.run()
    subscriber = run.tap({moment: (wait("subscriber"),)})
    for _ in range(sections):
        run.work_begin()
    run.emit("log")
    run.finish()
    case.parked("subscriber")
    for _ in range(sections):
        run.work_done()
    assert run.drained.kept() is True, f"drained must be kept with true while a subscriber blocks at {moment}"
    case.gate("subscriber").open()
    assert_published(case, subscriber, "log", "run-completed")


@requirement("DRAIN-6")
@pytest.mark.parametrize("sections", [0, 2])
def test_nothing_undoes_or_repeats_drained(case: Case, sections: int) -> None:
    hook = case.callback(name="hook")
    run = case.run(on_cancel=hook)
    continuation = run.drained.then()
    for _ in range(sections):
        run.work_begin()
    run.finish()
    for _ in range(sections):
        run.work_done()
    run.drained.kept()
    late = (run.work_begin, run.work_done, run.work_done, run.work_begin, run.cancel, run.finish, run.emit)
    for operation in late:
        operation()
        assert run.drained.status == "kept", f"a late {operation.__name__} undid drained"
    assert run.drained.value is True, "late operations changed the value of drained; it must stay true"
    case.eventually(lambda: continuation.calls, "the continuation of drained is called")
    case.never(lambda: len(continuation.calls) > 1, "a late operation calls the continuation of drained again")
    later = run.drained.then()
    case.eventually(lambda: later.calls, "a continuation that comes after the late operations is called")


@requirement("DRAIN-7")
@for_each_outcome
def test_nothing_is_accepted_once_drained_is_kept(case: Case, outcome: str) -> None:
    hook = case.callback(name="hook")
    run = case.run(on_cancel=hook)
    subscriber = run.tap()
    assert run.work_begin(), "work_begin must return true as long as the run is open"
    run.work_done()
    run.finish(f"run-{outcome}")
    run.drained.kept()
    replies = {"emit": run.emit("token"), "work_begin": run.work_begin(), "finish": run.finish("run-failed")}
    accepted = [operation for operation, reply in replies.items() if reply]
    assert not accepted, f"{', '.join(accepted)} replied true after drained was kept; nothing may be accepted any more"
    run.cancel()
    assert not run.is_cancelled, "a cancel was accepted after drained was kept"
    assert_published(case, subscriber, f"run-{outcome}")
    case.never(lambda: hook.calls or len(subscriber.log) > 2, "anything moves after drained was kept")


@requirement("DRAIN-7")
def test_a_continuation_of_drained_finds_nothing_accepted_any_more(case: Case) -> None:
    run = case.run()
    continuation = run.drained.then(emit("token"), work_begin(), finish("run-failed"))
    run.work_begin()
    run.emit("log")
    run.finish()
    run.work_done()
    case.eventually(lambda: continuation.returned, "the continuation of drained has returned")
    assert continuation.replies == [False] * 3, (
        f"emit, work_begin and finish inside a continuation of drained replied {continuation.replies}: "
        "all must be false"
    )
    assert_published(case, run.tap(), "log", "run-completed")


def finish_and_close(run: DrivenRun, operations: tuple[str, ...]) -> None:
    run.finish()
    for _ in range(operations.count("work_begin") - operations.count("work_done")):
        run.work_done()
