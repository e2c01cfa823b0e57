"""The asyncio port in the hands of plain asyncio code, and under the whole suite."""

import ast
import asyncio
import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Coroutine
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.kit.suite_run import ROOT, run_suite

PORT = ROOT / "conformance" / "ports" / "asyncio_run.py"
SECONDS = 5.0


def imported() -> ModuleType:
    spec = importlib.util.spec_from_file_location("asyncio_run", PORT)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["asyncio_run"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


asyncio_run = imported()
Event, Run = asyncio_run.Event, asyncio_run.Run


def on_a_loop(main: Coroutine[Any, Any, None]) -> None:
    async def within_the_deadline() -> None:
        await asyncio.wait_for(main, SECONDS)

    asyncio.run(within_the_deadline())


def token(text: str) -> Any:
    return Event.of("token", {"text": text})


def completed() -> Any:
    return Event.of("run-completed", {})


async def until_drained_and_delivered(run: Any, stream: list[Any]) -> None:
    await run.drained
    while "done" not in stream:
        await asyncio.sleep(0)


def tapped(run: Any) -> list[Any]:
    stream: list[Any] = []
    run.tap(lambda event: stream.append((event.seq, event.kind)), lambda: stream.append("done"))
    return stream


def test_a_driver_task_is_watched_and_awaited() -> None:
    async def drive(run: Any) -> None:
        for text in ("It ", "rains."):
            run.emit(token(text))
            await asyncio.sleep(0)
        run.finish(completed(), final="It rains.")
        run.work_done()

    async def main() -> None:
        run = Run()
        stream = tapped(run)
        run.work_begin()
        driver = asyncio.create_task(drive(run))
        assert (await run.result)["final"] == "It rains."
        await until_drained_and_delivered(run, stream)
        assert stream == [(0, "token"), (1, "token"), (2, "run-completed"), "done"]
        await driver

    on_a_loop(main())


def test_a_driver_that_waits_for_the_cancellation_winds_the_run_down() -> None:
    calls: list[str] = []

    async def drive(run: Any, tools_returned: asyncio.Event) -> None:
        await run.cancellation
        run.finish(Event.of("run-cancelled", {}), reason="asked to")
        await tools_returned.wait()
        run.work_done()

    async def main() -> None:
        run, tools_returned = Run(on_cancel=lambda: calls.append("hook")), asyncio.Event()
        run.work_begin()
        driver = asyncio.create_task(drive(run, tools_returned))
        run.cancel()
        run.cancel()
        result = await run.result
        assert (result["outcome"], result["reason"], calls) == ("cancelled", "asked to", ["hook"])
        assert not run.drained.done()
        tools_returned.set()
        assert await run.drained is True
        await driver

    on_a_loop(main())


def test_another_thread_cancels_through_the_loop() -> None:
    async def main() -> None:
        run = Run()
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, loop.call_soon_threadsafe, run.cancel)
        assert await run.cancellation is True

    on_a_loop(main())


def test_a_wait_that_is_given_up_spoils_nothing_for_the_others() -> None:
    async def main() -> None:
        run = Run()
        patient, cancelled = asyncio.ensure_future(run.result), asyncio.ensure_future(run.result)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(run.result, 0.001)
        cancelled.cancel()
        await asyncio.wait({cancelled})
        assert cancelled.cancelled()
        assert not run.result.done()
        assert run.finish(completed(), final="text") is True
        assert (await patient)["final"] == "text"

    on_a_loop(main())


def test_whoever_changes_the_result_changes_their_own_copy() -> None:
    async def main() -> None:
        run = Run()
        run.finish(completed(), messages=[{"role": "user"}])
        (await run.result)["messages"].clear()
        assert (await run.result)["messages"] == [{"role": "user"}]

    on_a_loop(main())


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3), KeyboardInterrupt()], ids=repr)
def test_no_callback_ends_the_loop(error: BaseException) -> None:
    reported: list[BaseException] = []

    def throw(*_: object) -> None:
        raise error

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context["exception"]))
        run = Run(on_cancel=throw)
        run.tap(throw, throw)
        stream = tapped(run)
        run.result.add_done_callback(throw)
        run.emit(token("text"))
        run.cancel()
        run.finish(completed())
        await until_drained_and_delivered(run, stream)
        assert stream == [(0, "token"), (1, "run-completed"), "done"]

    on_a_loop(main())
    assert reported == [error] * 5, "the hook, the continuation, two events and done"


def test_a_long_backlog_leaves_turns_to_others() -> None:
    async def main() -> None:
        long, short = Run(), Run()
        for _ in range(10_000):
            long.emit(token("text"))
        at_that_moment: list[int] = []
        stream = tapped(long)
        short.tap(lambda _: at_that_moment.append(len(stream)))
        short.emit(token("text"))
        while len(stream) < 10_000:
            await asyncio.sleep(0)
        assert len(at_that_moment) == 1
        assert at_that_moment[0] < 1000

    on_a_loop(main())


def test_what_is_accepted_while_every_tap_is_closed_is_dropped() -> None:
    async def main() -> None:
        run = Run()
        run.tap(print).close()
        run.emit(token("nobody sees this"))
        stream = tapped(run)
        run.finish(completed())
        await until_drained_and_delivered(run, stream)
        assert stream == [(1, "run-completed"), "done"]

    on_a_loop(main())


class FinishesTheRun(dict[str, Any]):
    """A value whose conversion to text finishes the run that it is given to."""

    run: Any

    def items(self) -> Any:
        self.run.finish(completed(), final="from within")
        return super().items()


def test_a_value_that_finishes_the_run_while_it_is_copied_has_won() -> None:
    async def main() -> None:
        run = Run()
        value = FinishesTheRun(key="value")
        value.run = run
        assert run.finish(completed(), error=value) is False
        assert (await run.result)["final"] == "from within"

    on_a_loop(main())


@pytest.mark.parametrize(
    "value", [("a", "tuple"), {1: "a key"}, float("nan"), object()], ids=lambda value: type(value).__name__
)
def test_what_is_no_plain_data_is_refused_and_the_run_stays_open(value: object) -> None:
    async def main() -> None:
        run = Run()
        with pytest.raises((TypeError, ValueError)):
            run.finish(completed(), error=value)
        with pytest.raises((TypeError, ValueError)):
            Event.of("token", {"text": value})
        assert run.emit(token("text")) is True

    on_a_loop(main())


@pytest.mark.parametrize(
    ("kind", "payload", "says"),
    [
        ("chat", {}, "'chat' is not a kind of event; these are run-started, "),
        ("token", {"txt": "Hi"}, "a token has no 'txt'; its fields are text, round, attempt"),
        ("token", {}, "text of a token is required; give it a value"),
        ("turn-discarded", {"reason": "bored"}, "cannot be 'bored'; it is one of limit, failed, cancelled"),
    ],
)
def test_what_is_no_event_says_what_is_wrong(kind: str, payload: dict[str, Any], says: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(says)):
        Event.of(kind, payload)


def test_an_event_of_a_given_moment_needs_a_zone() -> None:
    moment = datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=1)))
    assert Event.of("token", {"text": ""}, moment).plain()["ts"] == "2025-12-31T23:00:00.000000Z"
    with pytest.raises(ValueError, match="has no time zone"):
        Event.of("token", {"text": ""}, datetime(2026, 1, 1))


def test_an_unknown_keyword_is_named() -> None:
    async def main() -> None:
        with pytest.raises(TypeError, match="finish\\(\\) has no mood; it takes final, messages"):
            Run().finish(completed(), mood="fine")

    on_a_loop(main())


def test_it_needs_the_standard_library_alone() -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(PORT.parent)!r}); import asyncio_run; print(asyncio_run.Run.__name__)"
    )
    command = [sys.executable, "-I", "-S", "-c", program]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS * 4, check=False)
    assert finished.stdout == "Run\n", finished.stderr


def test_it_names_the_kit_in_its_adapter_alone() -> None:
    functions = [node for node in ast.parse(PORT.read_text()).body if "agent_run" in ast.unparse(node)]
    named = [node.name for node in functions if isinstance(node, ast.FunctionDef)]
    assert named == ["tck_adapter"]
    assert len(functions) == 1


def test_it_passes_the_whole_suite(tmp_path: Path) -> None:
    run = run_suite(str(PORT), tmp_path)
    assert run.exit_status == 0, run.output
    assert "asyncio_run" in run.output
    assert run.failures == {}


def test_a_copy_elsewhere_is_found_by_its_name(tmp_path: Path) -> None:
    shutil.copy(PORT, tmp_path)
    run = run_suite("asyncio_run", tmp_path, "--requirement=CANCEL-1", cwd=tmp_path)
    assert run.exit_status == 0, run.output
    assert run.failures == {}
