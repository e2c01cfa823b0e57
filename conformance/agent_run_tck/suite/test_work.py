"""WORK: work sections."""

import pytest

from agent_run_tck.case import Case
from agent_run_tck.steps import emit, work_begin, work_done
from agent_run_tck.suite.marks import for_each_outcome, requirement
from agent_run_tck.suite.published import assert_held, assert_published


@requirement("WORK-1")
def test_work_begin_returns_true_on_an_open_run(case: Case) -> None:
    run = case.run()
    replies = [run.work_begin(), run.work_begin()]
    run.work_done()
    run.emit("log")
    replies += [run.work_begin()]
    run.cancel()
    replies += [run.work_begin()]
    assert replies == [True] * 4, f"work_begin on an open run, cancelled at last, replied {replies}; all must be true"


@requirement("WORK-1")
@for_each_outcome
@pytest.mark.parametrize("sections", [0, 1], ids=["no section open", "one section open"])
def test_work_begin_returns_false_on_a_closed_run(case: Case, outcome: str, sections: int) -> None:
    run = case.run()
    for _ in range(sections):
        assert run.work_begin(), "work_begin on an open run must return true"
    run.finish(f"run-{outcome}")
    replies = [run.work_begin(), run.work_begin()]
    assert replies == [False] * 2, f"work_begin on a closed run replied {replies}; all must be false"


@requirement("WORK-1")
def test_work_begin_inside_a_callback_says_whether_the_run_is_open(case: Case) -> None:
    run = case.run()
    subscriber = run.tap({0: (work_begin(),), "terminal": (work_begin(),)})
    run.emit("log")
    case.eventually(lambda: subscriber.replies(0), "work_begin inside a subscriber has returned")
    run.finish()
    assert_published(case, subscriber, "log", "run-completed")
    replies = [subscriber.replies(0)[0], *subscriber.replies("terminal")]
    assert replies == [True, False], (
        f"work_begin, before and at the terminal, replied {replies}: it must be true, false"
    )


@requirement("WORK-2")
def test_sections_nest_and_overlap(case: Case) -> None:
    run = case.run()
    for operation in (
        run.work_begin,
        run.work_begin,
        run.work_done,
        run.work_begin,
        run.work_begin,
        run.work_done,
    ):
        operation()
    run.finish()
    assert_held(case, run, "four sections were opened and two closed")
    run.work_done()
    assert_held(case, run, "four sections were opened and three closed")
    run.work_done()
    run.drained.kept()


@requirement("WORK-2")
def test_sections_of_callbacks_count_with_all_others(case: Case) -> None:
    hook = case.callback(work_begin(), name="hook")
    run = case.run(on_cancel=hook)
    subscriber = run.tap({0: (work_begin(),)})
    run.emit("log")
    case.eventually(lambda: subscriber.replies(0), "work_begin inside a subscriber returns")
    run.cancel()
    case.eventually(lambda: hook.returned, "the hook has returned")
    run.finish()
    run.work_done()
    assert_held(case, run, "subscriber and hook opened a section each and only one was closed")
    run.work_done()
    run.drained.kept()


@requirement("WORK-2", needs="threads")
def test_sections_are_one_count_over_all_threads(case: Case) -> None:
    run = case.run()
    replies = [run.work_begin(), *case.together([run.work_begin] * 3, "work_begin on three threads")]
    assert replies == [True] * 4, f"work_begin on four threads of an open run replied {replies}; all must be true"
    case.promptly(run.work_done, "work_done on a thread that opened no section")
    run.finish()
    case.together([run.work_done] * 2, "work_done on two threads that opened no section")
    assert_held(case, run, "four sections were opened, each on a thread of its own, and three closed on others")
    case.promptly(run.work_done, "work_done on a thread that opened no section")
    run.drained.kept()


@requirement("WORK-3")
@pytest.mark.parametrize("sections", [1, 2])
def test_a_refused_work_begin_counts_nothing(case: Case, sections: int) -> None:
    run = case.run()
    for _ in range(sections):
        run.work_begin()
    run.finish()
    for _ in range(3):
        run.work_begin()
    assert_held(case, run, "the sections of before the finish are still open")
    for _ in range(sections):
        run.work_done()
    case.eventually(
        lambda: run.drained.status == "kept",
        f"drained is kept once the {sections} granted sections are closed: a refused one counts nothing",
    )


@requirement("WORK-4")
def test_work_done_returns_nothing(case: Case) -> None:
    run = case.run()
    run.work_begin()
    run.work_begin()
    replies = [run.work_done()]
    run.cancel()
    run.finish()
    replies += [run.work_done()]
    run.drained.kept()
    replies += [run.work_done()]
    assert replies == [None] * 3, f"work_done returned {replies}; it must return nothing in any state of the run"


@requirement("WORK-4")
@for_each_outcome
def test_work_done_without_a_section_neither_throws_nor_counts(case: Case, outcome: str) -> None:
    run = case.run()
    for _ in range(3):
        run.work_done()
    case.never(lambda: run.drained.status == "kept", "a work_done without a section keeps drained on an open run")
    assert run.work_begin(), "work_begin must be granted after a work_done without a section: the run is open"
    run.finish(f"run-{outcome}")
    assert_held(case, run, "one section is open: a work_done without a section must not make the count negative")
    run.work_done()
    run.drained.kept()
    run.work_done()
    run.work_done()


@requirement("WORK-4")
def test_work_done_without_a_section_leaves_a_cancelled_run_open(case: Case) -> None:
    run = case.run()
    run.cancel()
    run.work_done()
    assert run.emit("log"), "emit must be accepted after a work_done without a section: the run is open"
    assert run.finish("run-cancelled"), "finish must be accepted after a work_done without a section: the run is open"
    run.drained.kept()


@requirement("WORK-5")
@for_each_outcome
def test_a_section_does_not_keep_the_run_open(case: Case, outcome: str) -> None:
    run = case.run()
    subscriber = run.tap()
    run.work_begin()
    assert run.emit("log"), "emit inside a section of an open run must return true"
    assert run.finish(f"run-{outcome}"), "finish must be accepted while a section is open"
    assert run.is_done, "an open section must not keep the run open"
    assert not run.emit("token"), "emit inside a section must return false once the run is closed"
    run.work_done()
    assert not run.emit("token"), "emit after the last section must return false"
    assert_published(case, subscriber, "log", f"run-{outcome}")


@requirement("WORK-5")
def test_an_emit_inside_the_section_of_a_callback_is_refused_once_the_run_is_closed(case: Case) -> None:
    run = case.run()
    run.work_begin()
    continuation = run.result.then(emit("token"), work_done(), emit("token"))
    run.finish()
    case.eventually(lambda: continuation.returned, "the continuation of the result has returned")
    replies = [continuation.replies[0], continuation.replies[2]]
    assert replies == [False, False], f"emits in and after a section of a closed run replied {replies}: both false"
    assert_published(case, run.tap(), "run-completed")
