"""Histories written by hand, where it matters in which order overlapping calls take effect."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import tools
from agent_run_tck.index import contract_version


def call(number: int, operation: str, **arguments: Any) -> dict[str, Any]:
    return {"thread": f"T{number}", "call": operation, "id": number, **arguments}


def back(number: int, reply: Any = None) -> dict[str, Any]:
    return {"thread": f"T{number}", "return": number, "reply": reply}


def handed(tap: int, seq: int, of: int) -> list[dict[str, Any]]:
    return [{"tap": tap, "handed": seq, "of": of}, {"tap": tap, "let_go": seq}]


def history(folder: Path, name: str, *records: dict[str, Any]) -> Path:
    head = {"trace": 1, "contract": contract_version(), "implementation": "by hand", "hook": False, "threads": True}
    steps = [{"n": n, "thread": "D", **record} for n, record in enumerate(records, 1)]
    end = {"n": len(steps) + 1, "end": True, "settled": True}
    file = folder / f"{name}.jsonl"
    file.write_text("\n".join(map(json.dumps, [head, *steps, end])), encoding="utf-8")
    return file


RESULT = {"kept": "result", "value": "completed"}
DRAINED = {"kept": "drained", "value": True}
FIRST_TAP = [call(1, "tap", tap=1), back(1)]
SECOND_TAP = [call(2, "tap", tap=2), back(2)]
FINISH = call(3, "finish", kind="run-completed")
LOG = call(4, "emit", kind="log")
TAPS_END = [*handed(1, 1, of=3), {"tap": 1, "done": True}, RESULT, DRAINED]
BEGIN, DONE = call(2, "work_begin"), call(1, "work_done")
CLOSED = [FINISH, back(3, True), RESULT]
ALLOWED = {
    "nothing_for_a_tap_while_finish_is_out": [
        *[*FIRST_TAP, LOG, back(4, True), *handed(1, 0, of=4)],
        *[FINISH, *SECOND_TAP, *TAPS_END, back(3, True)],
    ],
    "is_done_after_the_tap": [
        *[*FIRST_TAP, LOG, back(4, True), *handed(1, 0, of=4), FINISH, *SECOND_TAP],
        *[call(5, "is_done"), back(5, True), *TAPS_END, back(3, True)],
    ],
    "nothing_for_a_tap_while_emit_and_finish_are_out": [
        *[*FIRST_TAP, LOG, FINISH, *SECOND_TAP, *handed(1, 0, of=4), back(4, True), *TAPS_END, back(3, True)],
    ],
    "nothing_for_a_tap_while_emit_is_out": [*FIRST_TAP, LOG, *SECOND_TAP, *handed(1, 0, of=4), back(4, True)],
    "a_stray_done_before_an_overlapping_begin": [DONE, BEGIN, back(2, True), back(1), *CLOSED],
    "a_begin_after_an_overlapping_stray_done": [BEGIN, DONE, back(1), back(2, True), *CLOSED],
    "a_done_that_ends_an_overlapping_begin": [DONE, BEGIN, back(2, True), back(1), *CLOSED, DRAINED],
    "a_begin_that_an_overlapping_done_ends": [BEGIN, DONE, back(1), back(2, True), *CLOSED, DRAINED],
    "a_begin_that_returns_after_the_end": [BEGIN, DONE, back(1), *CLOSED, back(2, True)],
}
REJECTED = {
    "nothing_for_a_tap_before_finish": (
        [*FIRST_TAP, LOG, back(4, True), *handed(1, 0, of=4), *SECOND_TAP, FINISH, *TAPS_END, back(3, True)],
        "tap 2 was not handed seq 1",
    ),
    "nothing_for_a_tap_before_emit": (
        [*FIRST_TAP, *SECOND_TAP, LOG, *handed(1, 0, of=4), back(4, True)],
        "tap 2 was not handed seq 0",
    ),
    "no_done": (
        [*FIRST_TAP, FINISH, *handed(1, 0, of=3), back(3, True), RESULT, DRAINED],
        "tap 1 was not told done",
    ),
    "a_section_that_ends": ([BEGIN, back(2, True), DONE, back(1), *CLOSED], "drained was not told"),
    "a_stray_done": ([DONE, back(1), *CLOSED], "drained was not told"),
    "no_result": ([FINISH, back(3, True), DRAINED], "the result was not told"),
    "no_cancellation": ([call(1, "cancel"), back(1)], "the cancellation was not told"),
}


def test_what_overlaps_may_take_effect_in_either_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [history(tmp_path, name, *records) for name, records in ALLOWED.items()]
    tools.main(["trace", *map(str, files)])
    said = capsys.readouterr().out
    assert [file for file in files if f"{file}: accepted, " not in said] == [], said


def test_a_rejection_at_the_end_says_what_is_owed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [history(tmp_path, name, *records) for name, (records, _) in REJECTED.items()]
    tools.main(["trace", *map(str, files)])
    said = re.findall(r"(\w+)\.jsonl:(\d+): rejected.*\n.*\n  settled, but: (.*)\n", capsys.readouterr().out)
    assert said == [(name, str(len(records) + 2), owed) for name, (records, owed) in REJECTED.items()]
