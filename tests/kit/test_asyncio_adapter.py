"""The kit's loop thread: calls get to the loop and back, and what goes wrong there is told to the caller in time."""

import asyncio
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Generator
from typing import Any

import pytest
from agent_run_tck.asyncio_adapter import AsyncioAdapter, LoopEnded
from agent_run_tck.loading import CannotLoad, load
from agent_run_tck.steering import Hang

SECONDS = 5.0
SOON = 0.1


class SomeRun:
    """As little of a run as each test needs; its promises are given."""

    def __init__(self, run_id: str | None, on_cancel: Callable[[], object] | None) -> None:
        self.id = run_id
        self.thread = threading.get_ident()
        self.on_cancel = on_cancel
        self.loop = asyncio.get_running_loop()
        self.result: Any = self.loop.create_future()
        self.emitted: list[Any] = []

    def emit(self, event: Any) -> Any:
        if isinstance(event, BaseException):
            raise event
        self.emitted.append(event)
        return self.loop is asyncio.get_running_loop()

    async def finish(self, event: Any, **outcome: Any) -> Any:
        if event == "later":
            await asyncio.sleep(0)
        if isinstance(event, BaseException):
            raise event
        self.result.set_result(outcome)
        return event

    def cancel(self) -> None:
        assert self.on_cancel is not None
        self.on_cancel()

    def tap(self, on_event: Callable[[Any], object]) -> "SomeTap":
        return SomeTap(on_event)

    def work_begin(self) -> None:
        self.loop.call_soon(sys.exit, "from a callback")


class SomeTap:
    def __init__(self, on_event: Callable[[Any], object]) -> None:
        self.on_event = on_event

    def close(self) -> int:
        self.on_event("closing")
        return threading.get_ident()


class WithStatus:
    status = "kept"
    value = 7

    def then(self, continuation: Callable[[Any], object]) -> None:
        continuation(threading.get_ident())


class OnlyAwaitable:
    def __init__(self, future: "asyncio.Future[Any]") -> None:
        self.future = future

    def __await__(self) -> Generator[Any, None, Any]:
        return asyncio.shield(self.future).__await__()


class AwaitedRun(SomeRun):
    """One whose result can be waited for, and nothing else."""

    def __init__(self, run_id: str | None, on_cancel: Callable[[], object] | None) -> None:
        super().__init__(run_id, on_cancel)
        self.kept = self.result
        self.result: Awaitable[Any] = OnlyAwaitable(self.kept)

    def emit(self, event: Any) -> None:
        self.kept.set_result(event)


class RunWithStatus(SomeRun):
    def __init__(self, run_id: str | None, on_cancel: Callable[[], object] | None) -> None:
        super().__init__(run_id, on_cancel)
        self.result = WithStatus()


def adapter_of(create_run: Any, seconds: float = SECONDS) -> AsyncioAdapter:
    return AsyncioAdapter(create_run, lambda kind, payload: kind, lambda event: {}, name="some", seconds=seconds)


@pytest.fixture
def adapter() -> Generator[AsyncioAdapter]:
    made = adapter_of(SomeRun)
    yield made
    made.close()


def test_a_run_is_made_and_called_on_the_loop_of_another_thread(adapter: AsyncioAdapter) -> None:
    run = adapter.create_run("given")
    assert run.id == "given"
    assert run.thread != threading.get_ident()
    assert run.emit("event") is True
    assert run.emitted == ["event"]


def test_a_callback_on_the_loop_calls_at_once(adapter: AsyncioAdapter) -> None:
    replies: list[Any] = []
    run = adapter.create_run(on_cancel=lambda: replies.append((run.emit("within"), adapter.create_run().thread)))
    run.cancel()
    assert replies == [(True, run.thread)]


def test_a_tap_is_closed_on_the_loop(adapter: AsyncioAdapter) -> None:
    seen: list[Any] = []
    run = adapter.create_run()
    assert run.tap(seen.append).close() == run.thread
    assert seen == ["closing"]


def test_a_coroutine_operation_is_awaited(adapter: AsyncioAdapter) -> None:
    run = adapter.create_run()
    assert run.finish("later", final="text") == "later"
    assert run.result.value == {"final": "text"}


def test_a_callback_on_the_loop_may_call_a_coroutine_operation_that_does_not_wait(adapter: AsyncioAdapter) -> None:
    replies: list[Any] = []
    run = adapter.create_run(on_cancel=lambda: replies.append(run.finish("at once")))
    run.cancel()
    assert replies == ["at once"]


def test_a_callback_on_the_loop_cannot_wait(adapter: AsyncioAdapter) -> None:
    run = adapter.create_run(on_cancel=lambda: run.finish("later"))
    with pytest.raises(RuntimeError, match=r"finish\(\) waits for something"):
        run.cancel()


@pytest.mark.parametrize("error", [ValueError("no"), TimeoutError("no"), SystemExit(3), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("operation", ["emit", "finish"])
def test_what_an_operation_raises_comes_out_at_its_caller(
    adapter: AsyncioAdapter, operation: str, error: BaseException
) -> None:
    run = adapter.create_run()
    with pytest.raises(type(error)) as raised:
        getattr(run, operation)(error)
    assert raised.value is error
    assert run.emit("the loop goes on") is True


def test_what_create_run_raises_comes_out() -> None:
    adapter = adapter_of(lambda run_id, on_cancel: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        adapter.create_run()
    adapter.close()


def test_a_loop_that_hangs_is_reported_in_time_and_given_up() -> None:
    gate = threading.Event()
    adapter = adapter_of(SomeRun, seconds=SOON)
    run = adapter.create_run(on_cancel=gate.wait)
    start = time.monotonic()
    with pytest.raises(Hang, match=r"cancel\(\) did not come back within 0.1 s; the loop stands in cancel"):
        run.cancel()
    assert time.monotonic() - start < SECONDS
    assert adapter.create_run().emit("on a new loop") is True
    gate.set()
    adapter.close()


class Waiting(SomeRun):
    def __init__(self, run_id: str | None, on_cancel: Callable[[], object] | None) -> None:
        super().__init__(run_id, on_cancel)
        self.given_up = threading.Event()

    async def drain(self) -> None:
        try:
            await asyncio.shield(self.result)
        except asyncio.CancelledError:
            self.given_up.set()


def test_an_operation_that_waits_for_ever_is_reported_in_time_and_cancelled() -> None:
    adapter = adapter_of(Waiting, seconds=SOON)
    run = adapter.create_run()
    with pytest.raises(Hang, match=r"drain\(\) did not come back within 0.1 s"):
        run.drain()
    assert run.given_up.wait(SECONDS)
    adapter.close()


def test_tasks_that_are_left_end_with_the_loop(adapter: AsyncioAdapter) -> None:
    run = adapter.create_run(on_cancel=lambda: tasks.append(asyncio.ensure_future(asyncio.sleep(SECONDS))))
    tasks: list[asyncio.Future[None]] = []
    run.cancel()
    adapter.close()
    assert tasks[0].cancelled()


def test_an_exception_that_ends_the_loop_is_told_to_everybody_on_it_and_to_nobody_else(
    adapter: AsyncioAdapter,
) -> None:
    run = adapter.create_run()
    run.work_begin()
    with pytest.raises(LoopEnded, match=r"SystemExit\('from a callback'\)"):
        run.finish("later")
    with pytest.raises(LoopEnded, match="shield what the run calls"):
        run.emit("event")
    assert adapter.create_run().emit("on a new loop") is True


def test_a_loop_that_was_stopped_says_so(adapter: AsyncioAdapter) -> None:
    run = adapter.create_run()
    adapter.close()
    with pytest.raises(LoopEnded, match="somebody stopped it"):
        run.emit("event")


def test_a_future_becomes_a_promise(adapter: AsyncioAdapter) -> None:
    values: list[Any] = []
    run = adapter.create_run()
    assert run.result.status == "planned"
    with pytest.raises(asyncio.InvalidStateError):
        _ = run.result.value
    run.result.then(values.append)
    run.finish("event", final="text")
    assert run.result.status == "kept"
    assert values == [{"final": "text"}]
    assert run.result.wait(SOON) == {"final": "text"}


def test_giving_up_on_a_bare_future_breaks_it_as_it_does_in_any_asyncio_program(adapter: AsyncioAdapter) -> None:
    run = adapter.create_run()
    with pytest.raises(TimeoutError):
        run.result.wait(0.01)
    assert run.result.status == "broken"


def test_an_awaitable_becomes_a_promise_which_outlives_a_wait() -> None:
    adapter = adapter_of(AwaitedRun)
    run = adapter.create_run()
    with pytest.raises(TimeoutError):
        run.result.wait(0.01)
    assert run.result.status == "planned"
    run.emit("value")
    assert run.result.status == "kept"
    assert run.result.value == "value"
    adapter.close()


def test_a_promise_with_the_names_of_the_kit_is_used_as_it_is() -> None:
    adapter = adapter_of(RunWithStatus)
    run = adapter.create_run()
    seen: list[int] = []
    run.result.then(seen.append)
    assert (run.result.status, run.result.value, seen) == ("kept", 7, [run.thread])
    adapter.close()


def test_many_events_are_emitted_in_one_go(adapter: AsyncioAdapter) -> None:
    run = adapter.create_run()
    run.emit_many("event", 1000)
    assert run.emitted == ["event"] * 1000


def incomplete() -> AsyncioAdapter:
    """For `--impl`: a run without most of what a run has."""
    return adapter_of(SomeRun)


def test_a_run_that_lacks_something_is_refused_by_its_names() -> None:
    with pytest.raises(CannotLoad, match=r"the run lacks work_done, is_done, is_cancelled, cancellation, drained"):
        load(f"{__file__}:incomplete")


def test_the_capabilities_begin_without_threads() -> None:
    adapter = AsyncioAdapter(
        SomeRun, lambda kind, payload: kind, dict, name="some", capabilities={"buffers_gaps": True}
    )
    assert adapter.capabilities == {"threads": False, "buffers_gaps": True}
