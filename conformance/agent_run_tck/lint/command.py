"""The command `agent-run-tck lint`."""

import argparse
import gzip
import os
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, cast

from agent_run_tck.lint.linter import Linter
from agent_run_tck.lint.output import FORMATS, Output, Totals

GZIP = b"\x1f\x8b"
EVERY = 2.0
"""Seconds between two words on how far it is, on a terminal."""


def lint(arguments: Sequence[str]) -> int:
    """Check transcripts. Exit status: 0 nothing is wrong, 1 something is, 2 a file cannot be read.

    Blocks as its files do. Ctrl-C ends it with 130, and a reader of the output who leaves with 1.
    """
    given = _parser().parse_args(arguments)
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # ids may hold half a surrogate pair
    output = FORMATS[given.format](sys.stdout)
    totals = Totals()
    try:
        for name in dict.fromkeys(given.files):  # standard input can be read but once
            _lint_file(name, output, totals)
        output.end(totals)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the interpreter would complain once more when it flushes
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 2 if totals.unread else int(bool(totals.errors))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="agent-run-tck lint",
        description="Check transcripts, with a record in plain form on each line, against the profile `stream`.",
        epilog="Exit status: 0 nothing is wrong (notes do not count), 1 something is, 2 a file cannot be read.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="JSON Lines, plain or gzip; - is standard input")
    parser.add_argument("--format", choices=FORMATS, default="text", help="how findings are written (default: text)")
    return parser


def _lint_file(name: str, output: Output, totals: Totals) -> None:
    linter = Linter("<stdin>" if name == "-" else name, _progress())
    totals.files += 1
    try:
        with _opened(name) as file:
            for finding in linter.findings(file):
                totals.count(finding)
                output.finding(finding)
    except BrokenPipeError:
        raise
    except (OSError, EOFError, zlib.error) as error:
        after = f" after line {linter.lines}" if linter.lines else ""
        why = getattr(error, "strerror", None) or str(error)
        totals.unread.append(f"{linter.name} cannot be read{after}: {why}")
        print(f"agent-run-tck: {totals.unread[-1]}", file=sys.stderr)
    finally:
        totals.lines += linter.lines


@contextmanager
def _opened(name: str) -> Iterator[IO[bytes]]:
    with open(sys.stdin.fileno() if name == "-" else name, "rb", closefd=name != "-") as file:
        packed = file.peek(len(GZIP)).startswith(GZIP)
        if packed:
            with gzip.open(file) as unpacked:
                yield cast(IO[bytes], unpacked)
        else:
            yield file


def _progress() -> Callable[[Linter], None]:
    """Says on a terminal how far it is, every few seconds."""
    if not sys.stderr.isatty():
        return lambda linter: None
    last = time.monotonic()

    def tell(linter: Linter) -> None:
        nonlocal last
        if time.monotonic() - last > EVERY:
            last = time.monotonic()
            print(f"{linter.name}: {linter.lines:,} lines, {linter.bytes >> 20:,} MiB", file=sys.stderr)

    return tell
