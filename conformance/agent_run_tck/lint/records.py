"""From the bytes of a file to records: one JSON object on each line. Whatever comes, it is a record or a finding."""

import json
from collections.abc import Iterator
from typing import IO, Any

from agent_run_tck.lint.findings import UNREADABLE, Report, shown

LONGEST_LINE = 16 * 2**20
"""Bytes. What is longer is passed over, so that memory stays bounded."""
BOM = b"\xef\xbb\xbf"

Record = dict[str, Any]


class Lines:
    """The lines of a file, with their numbers; `bytes` counts what was read. Blocks as the file does."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.number = 0
        self.bytes = 0

    def __iter__(self) -> Iterator[bytes | None]:
        """Each line without its end; None for one that is too long."""
        while line := self._file.readline(LONGEST_LINE + 1):
            self.number += 1
            self.bytes += len(line)
            if len(line) > LONGEST_LINE:
                self._pass_over(line)
                yield None
            else:
                yield line

    def _pass_over(self, line: bytes) -> None:
        while line and not line.endswith(b"\n"):
            line = self._file.readline(LONGEST_LINE)
            self.bytes += len(line)


class Decoder:
    """From a line to a record. What is odd and can be read all the same is reported, and the record goes on."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._odd: list[str] = []
        self._noted: set[str] = set()
        self._decode = json.JSONDecoder(object_pairs_hook=self._object, parse_constant=self._constant).decode

    def record(self, line: bytes | None, number: int) -> Record | None:
        """The record in the line; None where there is none, which has been reported unless the line is blank."""
        if line is None:
            return self._unreadable(f"the line is longer than {LONGEST_LINE} bytes; it is passed over")
        if number == 1 and line.startswith(BOM):
            line = line[len(BOM) :]
            self._note("the file begins with a byte order mark; JSON Lines has none")
        if line.endswith(b"\r\n"):
            self._note("the line ends with CR LF; JSON Lines ends a line with LF")
        try:
            value = self._decode(line.decode())
        except UnicodeDecodeError as error:
            return self._unreadable(f"the line is not UTF-8 at byte {error.start + 1}; write transcripts in UTF-8")
        except RecursionError:
            return self._unreadable("the line is nested too deep to be read; some hundred levels are possible")
        except ValueError as error:
            return self._unreadable(_why(error, line)) if line.strip() else None
        if self._odd:
            self._tell_odd()
        if value.__class__ is dict:
            return value
        return self._unreadable(f"the line holds {shown(value)}; a record is a JSON object")

    def _tell_odd(self) -> None:
        for odd in self._odd:
            self._report(UNREADABLE, "error", odd)
        self._odd.clear()

    def _unreadable(self, message: str) -> Record | None:
        self._odd.clear()
        self._report(UNREADABLE, "error", message)
        return None

    def _note(self, message: str) -> None:
        if message not in self._noted:
            self._noted.add(message)
            self._report(UNREADABLE, "note", message)

    def _object(self, pairs: list[tuple[str, Any]]) -> Record:
        made = dict(pairs)
        if len(made) != len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            self._odd.append(f"the key {shown(twice)} is there twice; the last one is taken, other readers differ")
        return made

    def _constant(self, text: str) -> float:
        self._odd.append(f"{text} is no JSON number; other readers refuse it")
        return float(text)


def _why(error: ValueError, line: bytes) -> str:
    if isinstance(error, json.JSONDecodeError):
        cut = "" if line.endswith(b"\n") else "; it is the last line and may be cut off"
        return f"the line is no JSON: {error.msg} at column {error.colno}{cut}"
    return "a number in the line has too many digits to be read"
