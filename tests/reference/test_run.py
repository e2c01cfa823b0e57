"""Where threads or the stack run out: nothing is half done, and what was accepted is delivered in the end."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

import pytest
from agent_run import Run, events
from agent_run.crew import Crew, Task

DEADLINE = 10.0  # seconds


@contextmanager
def no_thread_for(refused: Callable[[Task], bool]) -> Iterator[None]:
    start = Crew.start

    def refuse(crew: Crew, task: Task) -> None:
        if refused(task):
            raise RuntimeError("can't start new thread")
        start(crew, task)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Crew, "start", refuse)
        yield


def at_every_depth(call: Callable[[], object]) -> None:
    """Call from where the stack is full, then from one frame less, and so on to the top."""

    def deeper() -> None:
        try:
            deeper()
        finally:
            with suppress(RecursionError):
                call()

    with suppress(RecursionError):
        deeper()


LATER: dict[str, Callable[[Run], object]] = {
    "emit": lambda run: run.emit(events.Token(text="late")),
    "finish": lambda run: run.finish(events.RunCompleted()),
    "work_done": lambda run: run.work_done(),
    "tap": lambda run: run.events.tap(lambda event: None),
}


@pytest.mark.parametrize("operation", LATER)
def test_the_next_operation_delivers_what_got_no_thread(operation: str) -> None:
    run, seen, done = Run(), [], threading.Event()
    run.events.tap(lambda event: seen.append(event.seq), done.set)
    with no_thread_for(lambda task: True):
        assert run.emit(events.Token(text="early"))
        assert run.finish(events.RunCompleted())
    LATER[operation](run)
    assert done.wait(DEADLINE), f"{operation} did not start the publisher, {seen} was handed"
    assert seen == [0, 1]


def test_a_continuation_of_the_result_that_got_no_thread_holds_up_no_event() -> None:
    run, done, in_time = Run(), threading.Event(), []
    run.events.tap(lambda event: None, done.set)
    run.emit(events.Token(text="the publisher has a thread"))
    run.result.then(lambda result: in_time.append(done.wait(DEADLINE)))
    with no_thread_for(lambda task: isinstance(task, partial)):
        run.finish(events.RunCompleted())
    assert in_time == [True], "the terminal waited for a continuation"


def test_a_cancel_on_a_full_stack_calls_the_hook_or_did_nothing() -> None:
    calls: list[None] = []
    run = Run(on_cancel=lambda: calls.append(None))
    at_every_depth(run.cancel)
    assert run.is_cancelled
    assert len(calls) == 1


def test_a_continuation_that_is_given_on_a_full_stack_is_called_once_at_most() -> None:
    run = Run()
    run.finish(events.RunCompleted())
    calls: list[list[object]] = []

    def register() -> None:
        own: list[object] = []
        calls.append(own)
        run.result.then(own.append)

    at_every_depth(register)
    settled = threading.Event()
    run.result.then(lambda result: settled.set())
    assert settled.wait(DEADLINE)
    assert not [own for own in calls if len(own) > 1]
