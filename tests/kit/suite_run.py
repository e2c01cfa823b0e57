"""Runs the suite in a process of its own and reads the verdicts back from its JUnit report."""

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from attrs import frozen

ROOT = Path(__file__).parents[2]
SECONDS = 300


@frozen
class SuiteRun:
    exit_status: int
    output: str
    failures: dict[str, str]
    """Requirement to the messages of its failed checks."""


def run_suite(implementation: str, folder: Path, *arguments: str, cwd: Path = ROOT) -> SuiteRun:
    report = folder / "report.xml"
    command = [sys.executable, "-m", "pytest", "--pyargs", "agent_run_tck", f"--impl={implementation}"]
    options = ["--budget=quick", f"--junitxml={report}", "-p", "no:cacheprovider", "-c", "/dev/null", *arguments]
    finished = subprocess.run(command + options, cwd=cwd, capture_output=True, text=True, timeout=SECONDS, check=False)
    failures = _failures(report) if report.exists() else {}
    return SuiteRun(finished.returncode, finished.stdout + finished.stderr, failures)


def _failures(report: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for test in ElementTree.parse(report).iter("testcase"):
        properties = {each.get("name"): each.get("value") for each in test.iter("property")}
        for kind in ("failure", "error"):
            for failure in test.findall(kind):
                id = str(properties.get("requirement"))
                found[id] = found.get(id, "") + f"{failure.get('message')}\n{failure.text}"
    return found
