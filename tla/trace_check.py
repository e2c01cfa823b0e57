"""Lets TLC decide whether the contract allows what was recorded.

TLC has no reader of JSON that goes back far enough, so the recordings become a module with one literal.  What is known
only at the end of a recording (replies, returns, the seq that an event was handed with) goes into it as hints.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tlc
import trace_file
from trace_file import Record, Trace

OUTCOMES = {"run-completed": "completed", "run-failed": "failed", "run-cancelled": "cancelled"}
WORDS = {True: "true", False: "false", None: "none"}
KNOWN = {"refused", "planned", "kept", "broken", *OUTCOMES.values()}
CALLBACKS = ("handed", "let_go", "done", "quit")
SECONDS = 120
CONFIG = """SPECIFICATION TraceSpec
VIEW TraceView
PROPERTY OnlyRunProp
CONSTANTS
    Taps <- RecordedTaps
"""


# --- from a recording to a module -------------------------------------------------------------------------


def literal(value: Any) -> str:
    """A value as TLA+ writes it, in short lines: the parser takes quadratic time for a line."""
    separator = ",\n"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, dict):
        return f"[{', '.join(f'{name} |-> {literal(one)}' for name, one in value.items())}]"
    if isinstance(value, list):
        return f"<<{separator.join(map(literal, value))}>>"
    return str(value)


def _word(value: Any) -> str:
    """A reply or a value: the model compares strings."""
    if isinstance(value, str):
        return value if value in KNOWN else "other"
    return WORDS[value]


class Translation:
    """One recording in the terms of TraceRun: calls, taps and threads have numbers from 1."""

    def __init__(self, trace: Trace) -> None:
        self.records = trace.records
        self.called = [record for record in self.records if "call" in record]
        self._header = trace.header
        self._calls = {record["id"]: number for number, record in enumerate(self.called, 1)}
        taps = [record["tap"] for record in self.called if record["call"] == "tap"]
        self._taps = {tap: number for number, tap in enumerate(taps, 1)}
        self._owed = self._owed_taps()
        threads = dict.fromkeys(record["thread"] for record in self.records if "thread" in record)
        self._threads = {thread: f"thread {number}" for number, thread in enumerate(threads, 1)}
        self._returns = {record["return"]: at for at, record in enumerate(self.records) if "return" in record}
        self._seqs: dict[int, int] = {}
        self._owners: dict[int, int] = {}
        self._first: dict[int, int] = {}
        for record in self.records:
            if "handed" in record:
                self._learn(record)

    def data(self) -> dict[str, Any]:
        """All that TraceRun reads of the recording."""
        length = min(max(self._owners, default=-1) + 1, len(self.called))
        return {
            "hook": self._header["hook"],
            "hookThread": self._hook_thread() if self._header["threads"] else "",
            "drains": self._drains(),
            "taps": len(self._taps),
            "order": [self._owners.get(seq, 0) for seq in range(length)],
            "calls": [self._call(record) for record in self.called],
            "records": [self._record(record) for record in self.records],
        }

    def _learn(self, record: Record) -> None:
        """Which call has which seq, and where a tap started, as first seen."""
        seq, call = record["handed"], record["of"]
        self._first.setdefault(record["tap"], -1 if seq is None else seq)
        if seq is not None and call is not None:
            self._owners.setdefault(seq, self._calls[call])
            self._seqs.setdefault(call, seq)

    def _hook_thread(self) -> str:
        return next((self._threads[record["thread"]] for record in self.records if "hook" in record), "")

    def _owed_taps(self) -> set[int]:
        """The taps that must have got all at the end: none while a callback has not returned (decision 5)."""
        handed = [record["tap"] for record in self.records if "handed" in record]
        let_go = [record["tap"] for record in self.records if "let_go" in record]
        if not self.records[-1]["settled"] or sorted(handed) != sorted(let_go):
            return set()
        return {*self._taps} - {record["tap"] for record in self.called if record["call"] == "close"}

    def _drains(self) -> bool:
        """Whether anything says that drained was kept."""
        looks = [record for record in self.called if record["call"] == "drained"]
        return any(record.get("kept") == "drained" for record in self.records) or any(
            self.records[self._returns[record["id"]]]["reply"] == "kept" for record in looks
        )

    def _call(self, record: Record) -> dict[str, Any]:
        at = self._returns[record["id"]]
        tap = record.get("tap", 0)
        return {
            "op": record["call"],
            "kind": OUTCOMES.get(record.get("kind", ""), "event"),
            "reply": _word(self.records[at]["reply"]),
            "returns": at,
            "seq": self._seqs.get(record["id"], -1),
            "tap": self._taps.get(tap, 0),
            "first": self._first.get(tap, -1),
            "last": tap in self._owed and tap not in self._first,
            "flying": self._flying(tap, at) if record["call"] == "close" else "none",
            "thread": self._threads[record["thread"]],
        }

    def _flying(self, tap: int, at: int) -> str:
        """The callback of the tap that is recorded next though its close has returned, if there is one."""
        later = (
            kind for record in self.records[at:] if record.get("tap") == tap for kind in CALLBACKS if kind in record
        )
        kind = next(later, "none")
        return kind if kind in ("handed", "done") else "none"

    def _record(self, record: Record) -> dict[str, Any]:
        kind = trace_file.kind_of(record)
        match kind:
            case "call" | "return":
                return {"k": kind, "id": self._calls[record["id" if kind == "call" else "return"]]}
            case "handed" | "let_go":
                return {"k": kind, **self._callback(record[kind], record)}
            case "done" | "quit":
                return {"k": kind, "tap": self._taps[record["tap"]]}
            case "hook":
                return {"k": kind, "step": record["hook"], "thread": self._threads[record["thread"]]}
            case "kept":
                return {"k": kind, "promise": record["kept"], "value": _word(record["value"])}
        return {"k": kind, "settled": record["settled"]}

    def _callback(self, seq: int | None, record: Record) -> dict[str, int]:
        of = record.get("of")
        return {
            "tap": self._taps[record["tap"]],
            "seq": -1 if seq is None else seq,
            "of": 0 if of is None else self._calls[of],
        }


def module(translations: Sequence[Translation]) -> str:
    """The module that has the recordings."""
    data = [one.data() for one in translations]
    files = ",\n".join(literal(one) for one in data)
    most = max((one["taps"] for one in data), default=0)
    return f"---- MODULE TraceFiles ----\nEXTENDS Integers\nRecordedTaps == 1..{most}\nFiles == <<\n{files}\n>>\n====\n"


# --- from what TLC prints to verdicts ---------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """What TLC says of one recording; rejected at this line of the file, 0 when it is accepted."""

    trace: Trace
    line: int = 0
    state: str = ""
    allowed: str = ""

    @property
    def text(self) -> str:
        """For a terminal."""
        if not self.line:
            return f"{self.trace.path}: accepted, {len(self.trace.records)} records"
        record = self.trace.records[self.line - 2]
        why = "settled, but" if "end" in record else "allowed there"
        return (
            f"{self.trace.path}:{self.line}: rejected, the contract does not allow {json.dumps(record)}\n"
            f"  the state before it: {self.state}\n  {why}: {self.allowed}"
        )


_REJECTED = re.compile(r'^"?REJECTED;(\d+);(\d+);(.*?);(\{.*\})"?$', re.MULTILINE)
_ACCEPTED = re.compile(r'^"?ACCEPTED;(\d+)"?$', re.MULTILINE)


def _named(state: str, translation: Translation) -> str:
    """The state with calls as they are called in the file."""

    def name(number: str) -> str:
        record = translation.called[int(number) - 1]
        return f"{record['call']} (id {record['id']})"

    def names(found: re.Match[str]) -> str:
        return f"{found[1]}{', '.join(map(name, re.findall(r'[0-9]+', found[2])))}}}"

    text = re.sub(r"((?:in_flight|taken) \|-> \{)([^}]*)\}", names, state)
    return text.replace('\\"', "").replace(" |-> ", ": ")


def _words(allowed: str) -> str:
    return ", ".join(sorted(re.findall(r'\\"(.*?)\\"', allowed))) or "nothing"


def verdicts(translations: Sequence[Translation], traces: Sequence[Trace], report: tlc.Report) -> list[Verdict]:
    """What TLC found for each recording; SetupError when it found nothing for one of them."""
    if report.result != "holds":
        files = shlex.join(str(trace.path) for trace in traces)
        raise tlc.SetupError(
            f"TLC came to no end ({report.violated or report.result}); its last lines:\n{report.last_lines}\n"
            f"to repeat it and keep the files: python tla/tools.py trace --keep DIRECTORY {files}"
        )
    accepted = {int(number) for number in _ACCEPTED.findall(report.output)}
    furthest: dict[int, tuple[int, str, str]] = {}
    for file, at, state, allowed in _REJECTED.findall(report.output):
        furthest[int(file)] = max(furthest.get(int(file), (0, "", "")), (int(at), state, allowed))
    found = []
    for number, (trace, translation) in enumerate(zip(traces, translations, strict=True), 1):
        if number in accepted:
            found.append(Verdict(trace))
        elif number in furthest:
            at, state, allowed = furthest[number]
            found.append(Verdict(trace, at + 1, _named(state, translation), _words(allowed)))
        else:
            raise tlc.SetupError(f"TLC has no verdict on {trace.path}; its last lines:\n{report.last_lines}")
    return found


def validate(
    traces: Sequence[Trace], checker: tlc.Checker, keep: Path | None = None
) -> tuple[list[Verdict], tlc.Report]:
    """Ask TLC about all of them at once; blocks until it has ended, at most SECONDS."""
    translations = [Translation(trace) for trace in traces]
    job = tlc.Job("traces", "TraceRun", CONFIG, ("-deadlock",), SECONDS)
    with tlc.work_directory(keep) as folder:
        (folder / "TraceFiles.tla").write_text(module(translations), encoding="utf-8")
        report = checker.run(job, folder)
    return verdicts(translations, traces, report), report


# --- the command ------------------------------------------------------------------------------------------


def run(files: Sequence[Path], contract: str, keep: Path | None = None) -> int:
    """Check recordings and print the verdicts; 1 when one is rejected."""
    try:
        traces = [trace_file.read(path, contract) for path in files]
    except trace_file.BadTrace as error:
        raise tlc.SetupError(str(error)) from None
    found, report = validate(traces, tlc.find_checker(), keep)
    for verdict in found:
        print(verdict.text)
    records = sum(len(trace.records) for trace in traces)
    rejected = sum(bool(verdict.line) for verdict in found)
    outcome = f"{rejected} of {len(found)} rejected" if rejected else "all accepted"
    print(f"{outcome}: {records} records, {report.distinct} distinct states, {report.seconds:.1f} s")
    return 1 if rejected else 0


def add_to(commands: Any, contract: str) -> None:
    """The command `trace` of tools.py."""
    one: argparse.ArgumentParser = commands.add_parser(
        "trace", help="let TLC decide whether the contract allows recorded runs; exit status 1 when it does not"
    )
    one.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="a recording, as agent_run_tck.recording writes"
    )
    one.add_argument("--keep", type=Path, metavar="DIRECTORY", help="keep TLC's files and modules here")
    one.set_defaults(run=lambda options: run(options.files, contract, options.keep))
