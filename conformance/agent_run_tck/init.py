"""`agent-run-tck init`: an adapter to start from, in the language of the implementation."""

import argparse
import shlex
import tomllib
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

SKELETONS = Path(__file__).parent / "skeletons"
SUITE = "pytest --pyargs agent_run_tck"


class CannotWrite(Exception):
    """There is nothing written; the text says why and what to do, on one line."""


@frozen
class Language:
    """How an adapter is written and started: `{file}` is its path, `{port}` what is built from it beside it."""

    skeleton: str
    file: str
    impl: str
    build: str = ""
    to_do: str = ""
    """How the skeleton says what is to do for one operation: `{op}`, or as `"op":` `{key}`, and `{text}`."""


LANGUAGES = {
    "python": Language("adapter.py", "adapter.py", "{file}"),
    "asyncio": Language("asyncio_adapter.py", "adapter.py", "{file}"),
    "node": Language("adapter.mjs", "adapter.mjs", "exec:node {file}", to_do='{op}: "{text}",'),
    "go": Language("adapter.go", "adapter.go", "exec:{port}", "go build -o {port} {file}", '{key:14}"{text}",'),
    "rust": Language("adapter.rs", "adapter.rs", "exec:{port}", "rustc -O -o {port} {file}", '"{op}" => "{text}",'),
    "raku": Language("adapter.raku", "adapter.raku", "exec:raku {file}", to_do="{op} => '{text}',"),
}


def init(arguments: Sequence[str]) -> int:
    """Write a skeleton into a folder, and say what to type next. Raises CannotWrite; a file that is there stays."""
    asked = parser().parse_args(arguments)
    language = LANGUAGES[asked.lang]
    path = Path(asked.folder) / language.file
    _write(path, text_of(language))
    print(f"wrote {path}; to try it:", *(f"  {command}" for command in commands(language, path)), sep="\n")
    return 0


def commands(language: Language, path: Path) -> list[str]:
    """What builds the adapter, where that is needed, and what puts it through the first requirement."""
    inside = "." if path.parent == Path(".") else str(path.parent)
    names = {"file": shlex.quote(f"{inside}/{path.name}"), "port": shlex.quote(f"{inside}/port")}
    build, impl = language.build.format(**names), language.impl.format(**names)
    return [*([build] if build else []), f"{SUITE} --impl={shlex.quote(impl)} --requirement=IDENT-1"]


def text_of(language: Language) -> str:
    """The skeleton, with what is to do for each operation in the place that it has for that."""
    lines = (SKELETONS / language.skeleton).read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(_to_do(language, line) if line.strip() == "@TO_DO@" else line for line in lines)


def _to_do(language: Language, line: str) -> str:
    operations = tomllib.loads((SKELETONS / "to_do.toml").read_text(encoding="utf-8"))
    said = (language.to_do.format(op=op, key=f'"{op}":', text=text) for op, text in operations.items())
    return "".join(line.replace("@TO_DO@", each) for each in said)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        there = error.filename or path
        raise CannotWrite(f"{there} is there already and stays as it is; name another folder") from None
    except OSError as error:
        raise CannotWrite(f"{path} cannot be written ({error.strerror}); name another folder") from None


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="agent-run-tck init", description="Write the skeleton of an adapter.")
    made.add_argument("--lang", required=True, choices=LANGUAGES, help="what the implementation is written in")
    made.add_argument("folder", metavar="DIR", help="where to write it; made if it is not there")
    return made
