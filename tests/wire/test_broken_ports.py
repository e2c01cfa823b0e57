"""A port that is at fault is told from one whose implementation violates a requirement, and spoils nothing else.

Each module of `tests/broken/ports` is a port that does what its docstring says; the verdict is its VERDICT, and the
message has to say the words in SAYS.
"""

import ast
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from agent_run_tck.steering import Changes
from attrs import frozen

from tests.kit.suite_run import ROOT, PytestRun, properties, run_pytest

GOING = 10.0  # seconds
PORTS = sorted((ROOT / "tests" / "broken" / "ports").glob("[a-z]*.py"))
CHECKS = """
import pytest
from attrs import evolve
from agent_run_tck.budgets import BUDGETS, Budgets
from agent_run_tck.steps import wait

BUDGETS["quick"] = evolve(BUDGETS["quick"], wait=1.5)
Budgets.scaled = lambda budgets, *measured: budgets  # so that a hang takes as long everywhere
requirement = pytest.mark.requirement

@requirement("EMIT-1")
def test_emit(case):
    assert case.run().emit()

@requirement("CANCEL-11", needs="threads")
def test_cancel(case):
    run = case.run(on_cancel=case.callback(wait("hook"), name="hook"))
    run.tap()
    cancelling = case.start(run.cancel)
    case.eventually(lambda: case.gate("hook").arrivals or not cancelling.running, "the hook is called")
    if not cancelling.running:
        cancelling.outcome(1, "cancel")
    run.cancel()
    case.gate("hook").open()
    cancelling.outcome(case.budgets.wait, "the cancel whose hook was let go")

@requirement("FINISH-1")
def test_finish(case):
    assert case.run().finish()
"""


@frozen
class Told:
    """What a run of the suite says of one check of one port."""

    verdict: str
    text: str


def declared(path: Path) -> tuple[str, str]:
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            verdict, says = ast.literal_eval(node.value)
            return verdict, says
    values = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    return values["VERDICT"], values["SAYS"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ports")


@pytest.fixture(scope="module")
def outcome(folder: Path) -> tuple[PytestRun, dict[tuple[str, str], Told]]:
    """All ports at once: by port and requirement, what is said of the check that failed."""
    (folder / "checks.py").write_text(CHECKS)
    # The folder means nothing to a port; it tells these from those that another process of xdist has broken now.
    ports = (f"--impl=exec:{sys.executable} {path} {folder}" for path in PORTS)
    run = run_pytest("checks.py", "--budget=quick", f"--junitxml={folder / 'report.xml'}", *ports, cwd=folder)
    told: dict[tuple[str, str], Told] = {}
    for test in ElementTree.parse(folder / "report.xml").iter("testcase"):
        said = properties(test)
        for failure in (*test.findall("failure"), *test.findall("error")):
            text = f"{failure.get('message')}\n{failure.text}"
            told[said["implementation"], said["requirement"]] = Told(said.get("verdict", ""), text)
    return run, told


@pytest.mark.parametrize("path", PORTS, ids=lambda path: path.stem)
def test_what_is_wrong_with_a_port_has_its_verdict_and_its_message(
    path: Path, outcome: tuple[PytestRun, dict[tuple[str, str], Told]]
) -> None:
    run, told = outcome
    verdict, says = declared(path)
    of_this = {requirement: each for (port, requirement), each in told.items() if port == path.stem}
    at = "FINISH-1" if path.stem == "ignores_bye" else "CANCEL-11"
    assert set(of_this) == {at}, run.output
    assert of_this[at].verdict == verdict, of_this[at]
    assert says in of_this[at].text, of_this[at].text


def test_no_port_is_left_when_the_suite_has_ended(
    folder: Path, outcome: tuple[PytestRun, dict[tuple[str, str], Told]]
) -> None:
    run, _ = outcome
    assert run.exit_status == pytest.ExitCode.TESTS_FAILED, run.output
    Changes().until(lambda: not left(folder), GOING)  # the system may still be at it
    assert left(folder) == []


def left(folder: Path) -> list[str]:
    """The ports that were started with `folder` and still run."""
    listed = subprocess.run(("ps", "-eww", "-o", "args"), capture_output=True, text=True, timeout=60, check=True).stdout
    return [line for line in listed.splitlines() if str(folder) in line]
