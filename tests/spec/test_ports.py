"""The walks of ports.md are walked: the code is put where it says, the commands print what it shows."""

import ast
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import frozen

from tests.kit.suite_run import ROOT, run_pytest

TEXT = (ROOT / "spec" / "ports.md").read_text(encoding="utf-8")
NODE_PORT = ROOT / "conformance" / "ports" / "node"
COMMANDS = Path(sys.executable).parent
# What takes longest is left out: the same ground is covered by the tests of the ports.
QUICKLY = ("--budget=quick", "-m", "not model and not stochastic", "-k", "not test_long_runs")
MARK = "  // Your operations go here.\n"
SECONDS = 60


@frozen
class Block:
    language: str
    place: str
    lines: str


def blocks(heading: str) -> Iterator[Block]:
    """The blocks of code between a heading and the next one of its rank."""
    (section,) = re.findall(rf"^## {heading}$(.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.MULTILINE)
    for language, place, lines in re.findall(r"^```(\w+) ?(.*?)\n(.*?)^```", section, re.DOTALL | re.MULTILINE):
        yield Block(language, place, lines)


def walk(heading: str, folder: Path) -> int:
    """Do what the section says, in the folder; how many commands that were."""
    count = 0
    for block in blocks(heading):
        match block.language:
            case "console":
                count += 1
                command, _, shown = block.lines.removeprefix("$ ").partition("\n")
                compare(command, shown.splitlines(), printed(command, folder))
            case "js":
                write_js(folder / "adapter.mjs", block)
            case "python":
                write_python(folder / "adapter.py", block)
    return count


def printed(command: str, folder: Path) -> str:
    name, *arguments = shlex.split(command)
    if name == "pytest":
        return run_pytest(*arguments, *QUICKLY, cwd=folder).output
    words = [str(COMMANDS / name), *arguments]
    ran = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    return ran.stdout + ran.stderr


def compare(command: str, shown: list[str], output: str) -> None:
    """Every line that is shown is printed, in that order; an ellipsis stands for anything."""
    lines = iter(output.splitlines())
    for line in shown:
        pattern = ".*".join(map(re.escape, line.split("…")))
        assert any(re.fullmatch(pattern, each) for each in lines), f"$ {command}\ndoes not print {line!r}:\n{output}"


def write_js(path: Path, block: Block) -> None:
    text = path.read_text(encoding="utf-8")
    wanted = block.place.removeprefix("replace ")
    match block.place:
        case "end":
            text = f"{text}\n{block.lines}"
        case "operations":
            assert text.count(MARK) == 1
            text = text.replace(MARK, f"{block.lines}\n{MARK}")
        case _:
            assert text.count(wanted) == 1, f"the skeleton has no {wanted}"
            text = text.replace(wanted, block.lines.strip())
    path.write_text(text, encoding="utf-8")


def write_python(path: Path, block: Block) -> None:
    """Put imports below those that are there, and methods in the place of what has their names in the class."""
    text = path.read_text(encoding="utf-8")
    if block.place == "top":
        path.write_text(text.replace("\n\n\nclass", f"\n\n{block.lines}\n\nclass", 1), encoding="utf-8")
        return
    lines = text.splitlines(keepends=True)
    (found,) = [each for each in ast.parse(text).body if isinstance(each, ast.ClassDef) and each.name == block.place]
    (new,) = ast.parse(f"class {block.place}:\n{block.lines}").body
    assert isinstance(new, ast.ClassDef)
    lines.insert(int(found.end_lineno or 0), f"\n{block.lines}")
    for old in reversed(found.body):
        if names(old) & set().union(*map(names, new.body)):
            del lines[old.lineno - 1 : old.end_lineno]
    path.write_text("".join(lines), encoding="utf-8")


def names(statement: ast.stmt) -> set[str]:
    """What a statement in the body of a class defines."""
    if isinstance(statement, ast.Assign):
        return {target.id for target in statement.targets if isinstance(target, ast.Name)}
    return {statement.name} if isinstance(statement, ast.FunctionDef) else set()


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_walk_in_node(tmp_path: Path) -> None:
    for name in ("run.mjs", "events.mjs"):
        shutil.copy(NODE_PORT / name, tmp_path)
    assert walk("In Node", tmp_path) == 6


def test_the_walk_in_python(tmp_path: Path) -> None:
    assert walk("In Python", tmp_path) == 4


def test_a_command_that_prints_something_else_is_noticed() -> None:
    compare("command", ["one …", "two"], "one and a half\ntwo")
    with pytest.raises(AssertionError, match="does not print 'two'"):
        compare("command", ["one", "two"], "two\none")
