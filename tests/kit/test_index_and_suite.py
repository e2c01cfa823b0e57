"""Index, suite and seeded faults agree: every requirement that is called checked is, and its check was seen failing."""

import ast
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from tests.kit.suite_run import ROOT
from tests.kit.test_broken import BROKEN, RACY, declared

KIT = ROOT / "conformance" / "agent_run_tck"
ROWS = tomllib.loads((ROOT / "spec" / "requirements.toml").read_text())["requirement"]
FILES = {row["id"]: KIT / row["suite"] for row in ROWS if "suite" in row}
SUITE = sorted((KIT / "suite").glob("test_*.py"))


def marks(function: ast.FunctionDef) -> list[str]:
    """The ids in the function's own `requirement` marks."""
    calls = [each for each in function.decorator_list if isinstance(each, ast.Call)]
    return [ast.literal_eval(call.args[0]) for call in calls if ast.unparse(call.func).endswith("requirement")]


@cache
def need_threads(path: Path) -> dict[str, bool]:
    """Whether every check of an id in the file needs threads."""
    marked = [
        ast.unparse(mark)
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef)
        for mark in node.decorator_list
        if ast.unparse(mark).startswith("requirement(")
    ]
    ids = {ast.literal_eval(mark.split("(")[1].split(",")[0].rstrip(")")) for mark in marked}
    return {id: all("needs='threads'" in mark for mark in marked if f"'{id}'" in mark) for id in ids}


@cache
def checks(path: Path) -> dict[str, list[str]]:
    """The ids of every test in the file, by the test's name."""
    tree = ast.parse(path.read_text())
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    return {test.name: marks(test) for test in tests}


@cache
def broken_by() -> dict[str, list[str]]:
    """The broken implementations by the requirement that each is for."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in (*BROKEN, *RACY):
        breaks = declared(path)["BREAKS"]
        assert isinstance(breaks, tuple)
        found[breaks[0]].append(path.stem)
    return found


@pytest.mark.parametrize("id", FILES)
def test_a_checked_requirement_has_a_check_in_its_file(id: str) -> None:
    assert id in [mark for found in checks(FILES[id]).values() for mark in found]


@pytest.mark.parametrize("row", [row for row in ROWS if "suite" in row], ids=lambda row: row["id"])
def test_what_needs_threads_altogether_is_what_the_index_exempts(row: dict[str, object]) -> None:
    id = str(row["id"])
    assert need_threads(FILES[id])[id] == row.get("threads", False)


@pytest.mark.parametrize("path", SUITE, ids=lambda path: path.name)
def test_a_check_is_of_one_requirement_of_its_file(path: Path) -> None:
    here = {id for id, file in FILES.items() if f"{path.stem}_".startswith(f"{file.stem}_")}
    for test, ids in checks(path).items():
        expected = 0 if path.name in ("test_model.py", "test_schedules.py") else 1
        assert len(ids) == expected, f"{test} has the marks {ids}"
        assert set(ids) <= here, f"{test} is a check of {ids}, which the index has elsewhere"


def test_as_many_are_checked_as_the_index_says() -> None:
    marked = {id for path in SUITE for ids in checks(path).values() for id in ids}
    assert marked == set(FILES)


@pytest.mark.parametrize("id", FILES)
def test_every_check_was_seen_failing(id: str) -> None:
    assert broken_by()[id], f"tests/broken has nothing that is made to break {id}"


def test_a_broken_implementation_is_called_after_what_it_breaks() -> None:
    for id, stems in broken_by().items():
        prefix = id.lower().replace("-", "_") + "_"
        assert [stem for stem in stems if not stem.startswith(prefix)] == []
