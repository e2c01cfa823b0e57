"""Where the turn may go to another thread: lines of the modules under test that can see or change what others share."""

import dis
import linecache
import sys
from collections.abc import Callable, Container
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from attrs import frozen

# What only touches the thread's own variables: between two lines of nothing else, a switch changes nothing.
_PRIVATE_PREFIXES = ("LOAD_FAST", "STORE_FAST", "BUILD_", "JUMP_", "RETURN_", "COMPARE_")
_PRIVATE = frozenset(
    ("CACHE", "COPY", "EXTENDED_ARG", "IS_OP", "LOAD_CONST", "NOP", "POP_TOP", "PRECALL", "PUSH_NULL", "RESUME", "SWAP")
)
# From Python 3.12 on these do not begin with a line of their own; so a schedule is the same in every version.
_INLINED = frozenset(("<listcomp>", "<setcomp>", "<dictcomp>"))
Tracer = Callable[[FrameType, str, Any], Any]


@frozen
class Place:
    """A line of source, and what the thread is about to do there."""

    file: str
    line: int
    what: str = ""

    @property
    def source(self) -> str:
        return linecache.getline(self.file, self.line).strip()

    def __str__(self) -> str:
        text = f"{_short(self.file)}:{self.line}: {self.source or '(no source)'}"
        return f"{text}  [{self.what}]" if self.what else text


NOWHERE = Place("", 0)


def _short(file: str) -> str:
    """The path as a person finds it: from the current folder where the file is below it."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file


def footprint(code: CodeType, line: int) -> frozenset[str] | None:
    """The names by which a line reaches what threads share; None when it reaches nothing of that kind."""
    # Not by the code object: hashing one takes long, and a module that is imported again has others.
    key = (code.co_filename, code.co_firstlineno, code.co_name, len(code.co_code))
    table = _footprints.get(key)
    if table is None:
        table = _footprints[key] = _footprints_of(code)
    return table.get(line)


_footprints: dict[tuple[str, int, str, int], dict[int, frozenset[str]]] = {}


def _footprints_of(code: CodeType) -> dict[int, frozenset[str]]:
    found: dict[int, set[str]] = {}
    for instruction in dis.get_instructions(code):
        line = instruction.positions and instruction.positions.lineno
        if line is not None and not _is_private(instruction.opname):
            names = found.setdefault(line, set())
            names.update([instruction.argval] if isinstance(instruction.argval, str) else [])
    return {line: frozenset(names) for line, names in found.items()}


def _is_private(opname: str) -> bool:
    return opname in _PRIVATE or opname.startswith(_PRIVATE_PREFIXES)


def tracer(files: Container[str], point: Callable[[CodeType, int], object]) -> Tracer:
    """A trace function that calls `point` before each line, of a file in `files`, that can meet other threads."""

    def line(frame: FrameType, event: str, _: Any) -> Tracer:
        if event == "line" and footprint(frame.f_code, frame.f_lineno) is not None:
            point(frame.f_code, frame.f_lineno)
        return line

    def begin(frame: FrameType, event: str, _: Any) -> Tracer:
        return line if event == "line" else begin

    def call(frame: FrameType, _event: str, _: Any) -> Tracer | None:
        if frame.f_code.co_filename not in files:
            return None
        return begin if frame.f_code.co_name in _INLINED else line

    return call


def place_of_caller(files: Container[str], what: str) -> Place:
    """The innermost line of a file in `files` that the calling thread is in, else the one that called the kit."""
    frame: FrameType | None = sys._getframe(1)
    outside = None
    while frame is not None:
        if frame.f_code.co_filename in files:
            return Place(frame.f_code.co_filename, frame.f_lineno, what)
        if outside is None and not frame.f_code.co_filename.startswith(_OWN):
            outside = frame
        frame = frame.f_back
    return NOWHERE if outside is None else Place(outside.f_code.co_filename, outside.f_lineno, what)


_OWN = str(Path(__file__).parent)
