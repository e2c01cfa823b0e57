"""How findings are written: for people, for programs, for code scanning (SARIF) and for annotations of GitHub."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import IO, Any, Protocol

from agent_run_tck.index import contract_version, requirements
from agent_run_tck.lint.findings import UNREADABLE, Finding

SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


class Output(Protocol):
    """Findings are written as they come, so that memory stays bounded; `end` writes the rest."""

    def finding(self, finding: Finding) -> None: ...
    def end(self, totals: "Totals") -> None: ...


class Totals:
    """What was counted over all files."""

    def __init__(self) -> None:
        self.files = 0
        self.lines = 0
        self.unread: list[str] = []
        """Files that could not be read to their end, each with the reason."""
        self.errors: Counter[str] = Counter()
        self.notes: Counter[str] = Counter()

    def count(self, finding: Finding) -> None:
        (self.errors if finding.level == "error" else self.notes)[finding.requirement] += 1


def why(requirement: str) -> str:
    """What the requirement says, in a sentence."""
    return (
        "A line is one JSON object that all readers read alike"
        if requirement == UNREADABLE
        else requirements()[requirement].title
    )


class Text:
    """A line for each finding, and at the end a line for each requirement."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out

    def finding(self, finding: Finding) -> None:
        level = "" if finding.level == "error" else f"{finding.level}: "
        reason = f" ({why(finding.requirement)})" if finding.level == "error" else ""
        place = f"{finding.file}:{finding.line}"
        print(f"{place}: {finding.requirement} {level}{finding.message}{reason}{_of(finding)}", file=self._out)

    def end(self, totals: Totals) -> None:
        for requirement in [UNREADABLE, *requirements()]:
            if often := totals.errors[requirement]:
                print(f"{requirement:<9} {often:>6}  {why(requirement)}", file=self._out)
        errors, notes = totals.errors.total(), totals.notes.total()
        counts = ", ".join([_many(totals.lines, "line"), _many(errors, "error"), _many(notes, "note")])
        unread = f", {_many(len(totals.unread), 'file')} not read to the end" if totals.unread else ""
        print(f"{_many(totals.files, 'file')}, {counts}{unread}", file=self._out)


class JsonLines:
    """An object on each line; the last one has the totals, and without it the output is not whole."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out

    def finding(self, finding: Finding) -> None:
        self._write({
            "file": finding.file, "line": finding.line, "requirement": finding.requirement, "level": finding.level,
            "message": finding.message, "why": why(finding.requirement), "stream": finding.stream,
        })  # fmt: skip

    def end(self, totals: Totals) -> None:
        self._write({
            "end": True, "contract": contract_version(), "files": totals.files, "lines": totals.lines,
            "unread": totals.unread, "errors": totals.errors, "notes": totals.notes,
        })  # fmt: skip

    def _write(self, what: Mapping[str, Any]) -> None:
        print(json.dumps(what), file=self._out)


class Sarif:
    """SARIF 2.1.0, one result after the other."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self._some = False
        rules = [{"id": id, "shortDescription": {"text": why(id)}} for id in [UNREADABLE, *_of_streams()]]
        driver = {"name": "agent-run-tck lint", "version": contract_version(), "rules": rules}
        head = json.dumps({"$schema": SARIF, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": []}]})
        print(head.removesuffix("]}]}"), file=out)

    def finding(self, finding: Finding) -> None:
        place = {"artifactLocation": {"uri": finding.file}, "region": {"startLine": finding.line}}
        text = f"{finding.message}{_of(finding)}"
        result = {
            "ruleId": finding.requirement, "level": finding.level, "message": {"text": text},
            "locations": [{"physicalLocation": place}],
        }  # fmt: skip
        print(f"{',' if self._some else ''}{json.dumps(result)}", file=self._out)
        self._some = True

    def end(self, totals: Totals) -> None:
        told = [{"level": "error", "message": {"text": text}} for text in totals.unread]
        run = {"executionSuccessful": not told, "toolExecutionNotifications": told}
        print(f'], "invocations": {json.dumps([run])}}}]}}', file=self._out)


class GitHub:
    """Workflow commands, which GitHub shows beside the lines of the file."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out

    def finding(self, finding: Finding) -> None:
        command = "error" if finding.level == "error" else "notice"
        file = _escaped(finding.file).replace(":", "%3A").replace(",", "%2C")
        at = f"file={file},line={finding.line},title={finding.requirement}"
        print(f"::{command} {at}::{_escaped(finding.message + _of(finding))}", file=self._out)

    def end(self, totals: Totals) -> None:
        """There is nothing to add."""


FORMATS: Mapping[str, type[Text | JsonLines | Sarif | GitHub]] = {
    "text": Text,
    "json": JsonLines,
    "sarif": Sarif,
    "github": GitHub,
}


def _of_streams() -> list[str]:
    return [each.id for each in requirements().values() if each.profile == "stream"]


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _of(finding: Finding) -> str:
    return f" [run {_one_line(finding.stream)}]" if finding.stream else ""


def _one_line(text: str) -> str:
    return text if text.isprintable() else repr(text)[1:-1]
