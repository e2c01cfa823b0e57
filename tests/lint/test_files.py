"""Whatever a file holds, each fault is a finding with its line, and the rest is read."""

import gzip
import io
import json
from pathlib import Path
from random import Random

import pytest
from agent_run_tck.index import example_payload
from agent_run_tck.lint import linter, records
from agent_run_tck.lint.findings import Finding
from agent_run_tck.lint.taxonomy import kinds
from agent_run_tck.streams.generator import valid_stream
from hypothesis import given
from hypothesis import strategies as st

from tests.lint.linting import END, LOG, findings, lines, published

WHOLE = published(LOG, LOG, END)
FIRST, SECOND, THIRD = lines(WHOLE).splitlines(keepends=True)


def told(data: bytes) -> list[tuple[int, str, str]]:
    return [(finding.line, finding.requirement, finding.level) for finding in findings(data)]


def only(data: bytes) -> Finding:
    (finding,) = findings(data)
    return finding


UNREADABLE = {
    "no JSON": (b"{nonsense}\n", "the line is no JSON: Expecting property name"),
    "cut off": (SECOND[:20] + b"\n", "the line is no JSON: "),
    "no UTF-8": (b'{"kind": "\xff"}\n', "the line is not UTF-8 at byte 11"),
    "no object": (b"[1, 2]\n", "the line holds [1, 2]; a record is a JSON object"),
    "a number": (b"12\n", "the line holds 12; a record is a JSON object"),
    "100,000 levels": (b"[" * 100_000 + b"]" * 100_000 + b"\n", "nested too deep"),
    "10,000 digits": (b'{"seq": ' + b"9" * 10_000 + b"}\n", "too many digits"),
}


@pytest.mark.parametrize(("line", "says"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_line_that_is_no_record_is_one_finding(line: bytes, says: str) -> None:
    finding, note = findings(FIRST + line + THIRD)
    assert (finding.line, finding.requirement, finding.level) == (2, "JSON", "error")
    assert says in finding.message
    assert (note.line, note.requirement, note.level) == (3, "GRAM-1", "note")


def test_a_line_of_any_length_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "LONGEST_LINE", 1000)
    finding, _ = findings(FIRST + b'{"data": "' + b"x" * 10_000 + b'"}\n' + THIRD)
    assert (finding.line, finding.requirement) == (2, "JSON")
    assert "longer than 1000 bytes" in finding.message


def test_a_last_line_that_is_cut_off_is_told_as_such() -> None:
    found = findings(FIRST + SECOND[:30])
    assert [(finding.line, finding.requirement, finding.level) for finding in found] == [
        (2, "JSON", "error"),
        (1, "GRAM-1", "note"),
    ]
    assert "it is the last line and may be cut off" in found[0].message


def test_a_last_line_without_its_end_is_read() -> None:
    assert told(FIRST + SECOND + THIRD.rstrip(b"\n")) == []


ODD = {
    "a key twice": (b'{"seq": 0, ' + SECOND[1:], 'the key "seq" is there twice'),
    "NaN": (SECOND.replace(b'"text"', b'{"n": NaN}'), "NaN is no JSON number"),
    "an infinity": (SECOND.replace(b'"text"', b'{"n": -Infinity}'), "-Infinity is no JSON number"),
}


@pytest.mark.parametrize(("line", "says"), ODD.values(), ids=ODD)
def test_what_is_odd_and_can_be_read_is_told_and_read(line: bytes, says: str) -> None:
    finding = only(FIRST + line + THIRD)
    assert (finding.line, finding.requirement, finding.level) == (2, "JSON", "error")
    assert says in finding.message


def test_half_a_surrogate_pair_is_read() -> None:
    assert told(FIRST + SECOND.replace(b'"text"', rb'"\ud83d"') + THIRD) == []


def test_cr_lf_and_a_byte_order_mark_are_noted_once() -> None:
    crlf = lines(WHOLE).replace(b"\n", b"\r\n")
    assert told(records.BOM + crlf) == [(1, "JSON", "note"), (1, "JSON", "note")]


def test_blank_lines_are_passed_over() -> None:
    assert told(FIRST + b"\n  \n" + SECOND + THIRD) == []


@pytest.mark.parametrize("data", [b"", b"\n", b" \n\n"])
def test_a_file_without_records_is_told(data: bytes) -> None:
    finding = only(data)
    assert (finding.line, finding.requirement) == (1, "GRAM-1")
    assert "the file has no record" in finding.message


def test_of_a_run_that_may_have_lost_a_record_only_the_envelope_and_the_taxonomy_are_judged() -> None:
    started = {"kind": "attempt-started", "round": 1, "attempt": 1, "backend-index": 0, "model": "m"}
    tokens = [{"kind": "token", "text": "x"}, {"kind": "token"}]
    first, _, *rest = lines(published(LOG, started, *tokens, END)).splitlines(keepends=True)
    assert told(b"".join([first, b"nonsense\n", *rest])) == [
        (2, "JSON", "error"),
        (3, "GRAM-1", "note"),
        (4, "GRAM-2", "error"),
    ]


def test_a_record_that_was_lost_is_not_told_as_a_gap_but_more_are() -> None:
    later = lines([{**WHOLE[2], "seq": 3}])
    assert told(FIRST + b"nonsense\n" + later) == [(2, "JSON", "error"), (3, "GRAM-1", "error")]


@given(st.lists(st.binary(max_size=60) | st.sampled_from([FIRST, SECOND, THIRD]), max_size=8))
def test_no_bytes_bring_the_linter_down(parts: list[bytes]) -> None:
    data = b"".join(parts)
    assert all(1 <= finding.line <= max(1, data.count(b"\n") + 1) for finding in findings(data))


ODD_VALUES = [None, True, -1, 0.5, 10**30, "", "text", [], [[]], {}, {"kind": "subagent"}, {"seq": 0, "run-id": "x"}]


@pytest.mark.parametrize("odd", ODD_VALUES, ids=repr)
@pytest.mark.parametrize("kind", kinds())
def test_no_value_of_any_key_brings_the_linter_down(kind: str, odd: object) -> None:
    whole = {"kind": kind, **example_payload(kind)}
    keys = [*whole, *kinds()[kind].fields]
    found = findings(lines(published(*({**whole, key: odd} for key in keys))))
    assert all(finding.message for finding in found)


@pytest.mark.parametrize("seed", range(60))
def test_no_records_bring_the_linter_down(seed: int) -> None:
    random = Random(seed)
    stream = valid_stream(random)
    for _ in range(3):
        record = random.choice(stream)
        record[random.choice([*record, "inner", "id"])] = random.choice(ODD_VALUES)
    found = findings(lines(stream))
    assert all(finding.message and 1 <= finding.line <= len(stream) for finding in found)


def test_state_of_runs_that_ended_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linter, "MOST_ENDED", 5)
    checked = linter.Linter("transcript")
    runs = [record for number in range(50) for record in published(LOG, END, run_id=f"run-{number}")]
    assert list(checked.findings(io.BytesIO(lines(runs)))) == []
    assert (len(checked._open), len(checked._ended)) == (0, 5)
    again = lines([*runs, {**WHOLE[1], "run-id": "run-0"}])
    assert [finding.requirement for finding in findings(again)][:1] == ["GRAM-1"]


def test_gzip_is_unpacked(tmp_path: Path) -> None:
    packed = tmp_path / "transcript.jsonl.gz"
    packed.write_bytes(gzip.compress(FIRST + json.dumps([]).encode() + b"\n" + THIRD))
    with gzip.open(packed) as file:
        found = list(linter.Linter(packed.name).findings(file))  # type: ignore[arg-type]
    assert [(finding.line, finding.requirement) for finding in found if finding.level == "error"] == [(2, "JSON")]
