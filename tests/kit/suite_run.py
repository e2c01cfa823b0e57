"""Runs pytest with the kit in a process of its own, and reads the verdicts back from its JUnit report."""

import atexit
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

ROOT = Path(__file__).parents[2]
SECONDS = 300
CACHE = tempfile.TemporaryDirectory(prefix="agent-run-tck-")  # compiling the kit takes longer than to run it
atexit.register(CACHE.cleanup)
SUITE = ("--pyargs", "agent_run_tck")


@frozen
class PytestRun:
    exit_status: int
    output: str

    @property
    def lines(self) -> list[str]:
        return [line for line in self.output.splitlines() if line.strip()]


@frozen
class SuiteRun(PytestRun):
    failures: dict[str, str]
    """Requirement to the messages of its failed checks."""
    failures_of: dict[str, dict[str, str]]
    """The same by implementation, for a run with more than one."""


def run_pytest(*arguments: str, cwd: Path = ROOT, environment: Mapping[str, str] | None = None) -> PytestRun:
    """Like the command `pytest` (so the current folder is not importable by itself), without any configuration."""
    command = [sys.executable, "-P", "-m", "pytest", "-c", os.devnull, "-p", "no:cacheprovider", *arguments]
    # What pytest shortens and which options it adds must not depend on who runs the tests: a person or a CI.
    around = {name: value for name, value in os.environ.items() if name not in ("CI", "BUILD_NUMBER", "PYTEST_ADDOPTS")}
    settings = {**around, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": CACHE.name, **(environment or {})}
    finished = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=SECONDS, check=False, env=settings
    )
    return PytestRun(finished.returncode, finished.stdout + finished.stderr)


def run_suite(
    implementation: str,
    folder: Path,
    *arguments: str,
    cwd: Path = ROOT,
    environment: Mapping[str, str] | None = None,
) -> SuiteRun:
    report = folder / "report.xml"
    options = [f"--impl={implementation}", "--budget=quick", f"--junitxml={report}", *arguments]
    run = run_pytest(*SUITE, *options, cwd=cwd, environment=environment)
    tests = list(ElementTree.parse(report).iter("testcase")) if report.exists() else []
    of = {name: _failures(tests, name) for name in {properties(test).get("implementation", "") for test in tests}}
    return SuiteRun(run.exit_status, run.output, _failures(tests), of)


def properties(test: ElementTree.Element) -> dict[str, str]:
    """The properties of a test case in a JUnit report."""
    return {str(each.get("name")): str(each.get("value")) for each in test.iter("property")}


def _failures(tests: list[ElementTree.Element], implementation: str | None = None) -> dict[str, str]:
    """The failures of one implementation, or of all."""
    found: dict[str, str] = {}
    for test in tests:
        if implementation not in (None, properties(test).get("implementation", "")):
            continue
        for kind in ("failure", "error"):
            for failure in test.findall(kind):
                id = str(properties(test).get("requirement"))
                found[id] = found.get(id, "") + f"{failure.get('message')}\n{failure.text}"
    return found
