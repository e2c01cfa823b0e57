"""Whatever an implementation does, it costs the checks that saw it and no others, and the verdict says why."""

import re
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from agent_run_tck.budgets import BUDGETS
from agent_run_tck.case import Case
from agent_run_tck.index import requirements
from agent_run_tck.loading import load
from agent_run_tck.steering import Hang
from agent_run_tck.steps import emit, throw, wait

from tests.kit.misbehaving import MODULES, RIGHT, SAYS, write
from tests.kit.suite_run import PytestRun, properties, run_pytest

FAILS_EMIT = {"answers_1"}
FAILS_CANCEL = set(MODULES) - FAILS_EMIT - {"prints"}
WITHOUT_THREADS = {"kills_its_loop"}
CHECKS = 7


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("misbehaving")


@pytest.fixture(scope="module")
def one_process(folder: Path) -> PytestRun:
    return run_pytest(*write(folder), "--junitxml=report.xml", cwd=folder)


def summary(run: PytestRun) -> dict[str, list[str]]:
    """The lines of the summary by implementation."""
    _, *parts = re.split(r"^=+ agent run contract 1\.0: (\w+) =+$", run.output, flags=re.MULTILINE)
    lines = [part.partition("\n=")[0].strip().splitlines() for part in parts[1::2]]
    return dict(zip(parts[::2], lines, strict=True))


def expected(name: str) -> list[str]:
    cancel = "failed 1" if name in FAILS_CANCEL else "passed 1"
    emitted = "failed 1" if name in FAILS_EMIT else "passed 1"
    stream = "not applicable 9" if name in WITHOUT_THREADS else "passed 9"
    passed = [cancel, emitted, stream, "FINISH", "DRAIN"]
    failed = sum(part.startswith("failed") for part in passed)
    exempt = name in WITHOUT_THREADS
    exact = 4 - failed
    steered = "" if exempt else ", 1 steered"
    return [
        f"STREAM   {stream}",
        f"EMIT     {emitted}",
        "FINISH   passed 1",
        f"CANCEL   {cancel}",
        "DRAIN    passed 2",
        f"{5 - exempt} requirements checked: {5 - exempt - failed} passed ({exact} exact{steered}), {failed} failed; "
        f"{int(exempt)} not applicable",
    ]


@pytest.mark.parametrize("name", MODULES)
def test_one_failed_check_fails_its_requirement_and_the_rest_goes_on(one_process: PytestRun, name: str) -> None:
    assert one_process.exit_status == pytest.ExitCode.TESTS_FAILED, one_process.output
    assert summary(one_process)[name] == expected(name), one_process.output


def test_several_processes_give_the_same_summary(one_process: PytestRun, folder: Path) -> None:
    run = run_pytest(*write(folder), "-n", "2", cwd=folder)
    assert summary(run) == summary(one_process), run.output


@pytest.mark.parametrize("name", sorted(FAILS_CANCEL | FAILS_EMIT))
def test_a_failure_names_its_requirement_and_tells_what_happened(one_process: PytestRun, name: str) -> None:
    test = "test_cancel" if name in FAILS_CANCEL else "test_emit"
    _, text = re.split(rf"^_+ {test}\[{name}\] _+$", one_process.output, flags=re.MULTILINE)
    text = re.split(r"^_+ test_", text, flags=re.MULTILINE)[0]
    id = "CANCEL-1" if name in FAILS_CANCEL else "EMIT-1"
    title = re.escape(f"{id}: {requirements()[id].title}.")
    assert SAYS[name] in text, text
    assert re.search(rf"^-+ {id} is violated -+\n{title}\n", text, flags=re.MULTILINE), text
    assert re.search(r"^-+ what happened -+\n +check  run = create_run\(\)\n", text, flags=re.MULTILINE), text


def test_a_hang_is_over_within_its_budget(one_process: PytestRun, folder: Path) -> None:
    assert one_process.lines
    cases = ElementTree.parse(folder / "report.xml").iter("testcase")
    (seconds,) = [float(str(case.get("time"))) for case in cases if case.get("name") == "test_cancel[hangs]"]
    assert 4 <= seconds < 20, one_process.output


def test_one_that_makes_no_second_run_fails_each_check_in_time(folder: Path) -> None:
    write(folder)
    once = "made = threading.Semaphore(1)\nRun = lambda *given: made.acquire() and RightRun(*given)"
    (folder / "makes_one_run.py").write_text(f"{RIGHT.partition('class')[0]}{once}")
    start = time.monotonic()
    few = ("--budget=quick", "--requirement=EMIT-1", "--requirement=FINISH-1")
    run = run_pytest("checks.py", "--impl=makes_one_run", *few, cwd=folder)
    assert time.monotonic() - start < 30
    assert run.output.count("Hang: the check did not come back within 4 s; it stands in <lambda>") == 2, run.output
    assert "2 requirements checked: 0 passed, 2 failed" in run.output


HANGS_FOUR_TIMES = """
import pytest
from attrs import evolve
from agent_run_tck.budgets import BUDGETS, Budgets

BUDGETS["quick"] = evolve(BUDGETS["quick"], wait=0.6)
Budgets.scaled = lambda budgets, *measured: budgets

@pytest.mark.requirement("CANCEL-1")
@pytest.mark.parametrize("number", range(4))
def test_cancel(case, number):
    case.run().cancel()
"""


def test_a_check_that_is_waited_for_less_says_so(folder: Path) -> None:
    write(folder)
    (folder / "four.py").write_text(HANGS_FOUR_TIMES)
    run = run_pytest("four.py", "--impl=hangs", "--budget=quick", cwd=folder)
    *usual, hurried = re.findall(r"CANCEL-1: .*\.\n(.*)", run.output)
    assert not [line for line in usual if "hung" in line]
    told = "3 checks have hung, so waits are 0.5 s instead of 0.6 s; --requirement=CANCEL-1 waits as usual"
    assert hurried == told, run.output


def test_the_junit_report_carries_the_ids(one_process: PytestRun, folder: Path) -> None:
    assert one_process.lines
    cases = list(ElementTree.parse(folder / "report.xml").iter("testcase"))
    assert len(cases) == CHECKS * len(MODULES)
    for case in cases:
        name = str(case.get("name"))
        (implementation,) = re.findall(r"\[(\w+)\]", name)
        assert properties(case)["implementation"] == implementation
        if name.startswith("test_cancel["):
            assert properties(case)["requirement"] == "CANCEL-1"


def test_nothing_is_printed_and_nothing_loaded_by_who_does_not_ask(tmp_path: Path) -> None:
    check = "import sys\ndef test_loaded():\n    assert not [name for name in sys.modules if name == 'agent_run' or "
    (tmp_path / "test_own.py").write_text(check + "name.startswith('agent_run_tck.suite')]")
    run = run_pytest(cwd=tmp_path)
    assert run.exit_status == pytest.ExitCode.OK, run.output
    assert [line for line in run.lines if "contract" in line or "implementation" in line] == []


@pytest.fixture
def case() -> Case:
    return Case(load("agent_run"), BUDGETS["quick"])


def test_an_assertion_in_a_callback_reaches_the_check(folder: Path) -> None:
    write(folder)
    case = Case(load(str(folder / "answers_1.py")), BUDGETS["quick"])
    run = case.run()
    run.tap({"terminal": [emit()]})
    run.finish()
    wrong = re.escape("emit(log) replied 0; it must reply true or false")
    with pytest.raises(AssertionError, match=wrong):
        case.eventually(lambda: False, "something comes")
    with pytest.raises(AssertionError, match=wrong):
        case.never(lambda: False, "something comes")
    with pytest.raises(AssertionError, match=wrong):
        case.raise_problems()


def test_a_callback_that_is_told_to_use_a_run_that_is_not_there_is_a_problem_of_the_check(case: Case) -> None:
    run = case.run()
    run.tap({0: [emit(on="nobody")]})
    run.emit()
    with pytest.raises(KeyError, match="nobody"):
        case.eventually(lambda: False, "something comes")


def test_what_a_callback_throws_on_purpose_is_no_problem(case: Case) -> None:
    run = case.run()
    subscriber = run.tap({0: [throw(), emit()], 1: [throw(base=True)]})
    assert run.emit()
    assert run.emit()
    case.eventually(lambda: len(subscriber.events) == 2, "both events are handed over")
    case.raise_problems()
    assert subscriber.replies(0) == []


def test_closing_a_case_lets_everybody_go(case: Case) -> None:
    run = case.run()
    subscriber = run.tap({0: [wait("closed")]})
    run.finish()
    case.parked("closed")
    assert subscriber.done == 0
    case.close()
    case.eventually(lambda: subscriber.done, "the parked subscriber goes on to done")


def test_what_does_not_come_back_is_told_with_its_place(case: Case) -> None:
    hurried = Case(case.implementation, case.budgets.hurried())
    run = hurried.run(on_cancel=hurried.callback(wait("hook"), name="hook"))
    start = time.monotonic()
    with pytest.raises(
        Hang, match=r"cancel did not come back within 0\.5 s; it stands in _follow .*gate\(gate\)\.wait"
    ):
        hurried.promptly(run.cancel, "cancel")
    assert time.monotonic() - start < 5
    assert ["run.cancel()", "has not returned"] in [entry[1:] for entry in hurried.history]
    hurried.close()
