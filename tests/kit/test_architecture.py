"""Who may import whom, how long a text may be, and what no tracked file may contain."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.suite_run import ROOT

PACKAGES = {"agent_run": ROOT / "reference", "agent_run_tck": ROOT / "conformance"}
OURS = {*PACKAGES, "tests", "bench", "spec", "tla", "conformance", "reference"}
MOST_LINES_OF_A_FILE = 400
MOST_LINES_OF_A_FUNCTION = 50
GIT = ("git", "-C", str(ROOT), "ls-files", "-z")
SECONDS = 60

# Spelt in pieces, because this file is looked at too.
REGISTRY_HOSTS = re.compile(r"(pypi|python[h]osted|npmjs|yarnpkg|proxy\.golang|crates)\." + r"(org|com|io)")
MACHINE_PATHS = re.compile(r"(?<![\w.])/(" + "|".join(["wo" + "rk", "ro" + "ot", "ho" + "me", "Us" + "ers"]) + r")/\w")


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run([*GIT, *patterns], capture_output=True, text=True, timeout=SECONDS, check=True).stdout
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]


PYTHON = tracked("*.py")


def imported(tree: ast.AST) -> Iterator[str]:
    """The top-level names of what a module imports, at whatever depth it does."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield str(node.module).partition(".")[0]


def imports(folder: Path) -> dict[str, set[str]]:
    """What is imported by the Python files under the folder: the name, and by which files."""
    found: dict[str, set[str]] = {}
    for path in PYTHON:
        if path.is_relative_to(folder):
            for name in imported(ast.parse(path.read_text())):
                found.setdefault(name, set()).add(str(path.relative_to(ROOT)))
    return found


def functions(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, int(node.end_lineno or 0) - node.lineno + 1


def test_the_reference_needs_the_standard_library_and_attrs_only() -> None:
    found = imports(PACKAGES["agent_run"])
    assert "attrs" in found
    assert set(found) - sys.stdlib_module_names - {"attrs", "agent_run"} == set(), found


def test_the_kit_does_not_know_the_reference() -> None:
    found = imports(PACKAGES["agent_run_tck"] / "agent_run_tck")
    assert "agent_run_tck" in found
    needed = {"attrs", "hypothesis", "jsonschema_rs", "pytest", "_pytest"}
    assert set(found) - sys.stdlib_module_names - needed - {"agent_run_tck"} == set(), found


def test_a_port_needs_the_kit_at_most() -> None:
    found = imports(PACKAGES["agent_run_tck"] / "ports")
    assert set(found) - sys.stdlib_module_names <= {"agent_run_tck"}, found


def test_nothing_but_tests_imports_tests() -> None:
    found = imports(ROOT).get("tests", set())
    assert [path for path in found if not path.startswith("tests/")] == []


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_and_its_functions_are_short(path: Path) -> None:
    lines = len(path.read_text().splitlines())
    assert lines <= MOST_LINES_OF_A_FILE, f"{lines} lines; a file has at most {MOST_LINES_OF_A_FILE}"
    long = [each for each in functions(path) if each[1] > MOST_LINES_OF_A_FUNCTION]
    assert long == [], f"a function has at most {MOST_LINES_OF_A_FUNCTION} lines"


@pytest.mark.parametrize("unwanted", [REGISTRY_HOSTS, MACHINE_PATHS], ids=["registry hosts", "paths of a machine"])
def test_no_tracked_file_names_what_only_one_machine_has(unwanted: re.Pattern[str]) -> None:
    found = []
    for path in tracked():
        text = path.read_bytes().decode(errors="replace")
        found += [f"{path.relative_to(ROOT)}: {match.group()}" for match in unwanted.finditer(text)]
    assert found == []


@pytest.mark.parametrize("text", ["https://" + "pypi" + ".org/simple", "see /" + "root/x", "'/" + "work/main'"])
def test_what_only_one_machine_has_is_recognised(text: str) -> None:
    assert REGISTRY_HOSTS.search(text) or MACHINE_PATHS.search(text)
