"""Recordings of runs: TLC accepts what the contract allows, and rejects the rest where it goes wrong."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import break_traces
import pytest
import record_traces
import tlc
import tools
import trace_check
import trace_file
from agent_run_tck.index import contract_version, example_payload, requirements
from agent_run_tck.loading import Implementation, load
from agent_run_tck.recording import Recording

TLA = Path(__file__).resolve().parents[2] / "tla"
GOOD = TLA / "traces" / "good"
BROKEN = TLA / "traces" / "broken"
FAULTY = TLA.parent / "tests" / "broken"
SCENARIOS = [scenario.__name__ for scenario in record_traces.SCENARIOS]


def check(*files: Path, seconds: float = 120) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TLA / "tools.py"), "trace", *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)


# --- what is kept ---


def test_every_good_recording_is_accepted() -> None:
    files = sorted(GOOD.glob("*.jsonl"))
    done = check(*files)
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(f"{file}: accepted, " in done.stdout for file in files)


def test_there_is_a_good_recording_of_every_scenario() -> None:
    threaded = {scenario.__name__ for scenario in record_traces.NEED_THREADS}
    expected = {f"{name}-reference" for name in SCENARIOS} | {f"{name}-asyncio" for name in {*SCENARIOS} - threaded}
    assert {file.stem for file in GOOD.glob("*.jsonl")} == expected


def test_every_broken_recording_is_rejected_at_its_line() -> None:
    rows = tomllib.loads(break_traces.TABLE.read_text(encoding="utf-8"))["trace"]
    done = check(*[BROKEN / f"{row['name']}.jsonl" for row in rows])
    assert done.returncode == 1, done.stdout + done.stderr
    starts = [f"{BROKEN / row['name']}.jsonl:{row['line']}: rejected, the contract does not allow {{" for row in rows]
    assert [start for start in starts if start not in done.stdout] == []


def test_the_broken_recordings_are_what_the_edits_make_of_the_good_ones() -> None:
    assert break_traces.TABLE.read_text(encoding="utf-8") == break_traces.table()
    made = {f"{edit.name}.jsonl": text for edit, text, _ in break_traces.broken_files()}
    assert {file.name: file.read_text(encoding="utf-8") for file in BROKEN.iterdir()} == made


def test_every_edit_breaks_a_requirement() -> None:
    assert [edit.name for edit in break_traces.EDITS if edit.requirement not in requirements()] == []


def test_a_rejection_shows_the_record_the_state_and_what_was_allowed() -> None:
    done = check(BROKEN / "a_cancel_that_does_not_wait.jsonl")
    first, state, allowed, total = done.stdout.splitlines()
    assert '"return": 2' in first
    assert "hook: running, in_flight: {cancel (id 2)" in state
    assert "the hook returns" in allowed
    assert total.startswith("1 of 1 rejected: ")


# --- fresh recordings ---


def test_a_fresh_recording_of_everything_is_accepted(tmp_path: Path) -> None:
    with record_traces.hurried():
        for name, recording in record_traces.recordings():
            recording.write(tmp_path / f"{name}.jsonl", settled=True)
    done = check(*tmp_path.iterdir())
    assert done.returncode == 0, done.stdout + done.stderr


def test_random_runs_are_accepted(tmp_path: Path) -> None:
    with record_traces.hurried():
        for name, spec in record_traces.IMPLEMENTATIONS.items():
            implementation = load(spec)
            for seed in range(5):
                recording = record_traces.at_random(implementation, seed)
                recording.write(tmp_path / f"{name}-{seed}.jsonl", settled=True)
    done = check(*tmp_path.iterdir())
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_recording_of_two_thousand_records_is_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], record_property: Any
) -> None:
    """How long it takes is printed and no reason to fail: machines differ."""
    with record_traces.hurried():
        recording = record_traces.many_emitters(load("agent_run"), 504)
    recording.write(tmp_path / "long.jsonl", settled=True)
    assert tools.main(["trace", str(tmp_path / "long.jsonl")]) == 0
    total = capsys.readouterr().out.splitlines()[-1]
    record_property("trace", total)
    assert len(recording.records()) > 2000


def a_run_is_cancelled_twice(implementation: Implementation, seed: int) -> Recording:
    session = record_traces.Session(implementation, seed, hook=lambda: None)
    session.run.cancel()
    session.run.cancel()
    return session.recording


FAULTS = {
    "emit_2_counts_seq_from_1": record_traces.a_tap_closes,
    "cancel_2_calls_the_hook_for_each_cancel": a_run_is_cancelled_twice,
    "work_4_returns_the_count": record_traces.sections_race_finish,
}


def test_recordings_of_faulty_implementations_are_rejected(tmp_path: Path) -> None:
    for fault, scenario in FAULTS.items():
        recording = scenario(load(str(FAULTY / f"{fault}.py")), 0)
        recording.write(tmp_path / f"{fault}.jsonl", settled=True)
    done = check(*tmp_path.iterdir())
    assert done.returncode == 1, done.stdout + done.stderr
    assert set(re.findall(r"(\w+)\.jsonl:\d+: rejected", done.stdout)) == FAULTS.keys()


def stretched(records: list[dict[str, Any]], randomness: random.Random, most: int) -> list[dict[str, Any]]:
    """The same run with calls that began earlier and returned later: whatever took effect still may."""

    def key(at: int) -> float:
        record = records[at]
        if "return" in record:
            return at + randomness.uniform(0, most)
        return at - randomness.uniform(0, most) if record.get("call") not in (None, "close") else at

    head, *steps, end = range(len(records))
    order = sorted(steps, key=key)
    return [records[head], *({**records[at], "n": n} for n, at in enumerate([*order, end], 1))]


def test_calls_that_take_longer_stay_allowed(tmp_path: Path) -> None:
    randomness = random.Random(7)
    for file in sorted(GOOD.glob("*.jsonl")):
        records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        text = "\n".join(map(json.dumps, stretched(records, randomness, most=12)))
        (tmp_path / file.name).write_text(text, encoding="utf-8")
    done = check(*tmp_path.iterdir())
    assert done.returncode == 0, done.stdout + done.stderr


# --- recording ---


def small() -> Recording:
    return record_traces.a_run_ends_before_it_is_cancelled(load("agent_run"), 0)


def test_a_recording_is_as_the_reader_wants_it(tmp_path: Path) -> None:
    recording = small()
    recording.write(tmp_path / "small.jsonl", settled=True)
    trace = trace_file.read(tmp_path / "small.jsonl", contract_version())
    assert [trace.header, *trace.records] == recording.records(settled=True)


def test_a_call_that_has_not_returned_cannot_be_written() -> None:
    implementation = load("agent_run")
    seen: list[str] = []

    def hook() -> None:
        with pytest.raises(RuntimeError, match=r"wait for cancel \(id 1\)") as caught:
            recording.records()
        seen.append(str(caught.value))

    recording = Recording(implementation, on_cancel=hook)
    recording.run.cancel()
    assert len(seen) == 1


def test_what_a_call_raises_comes_out_and_is_recorded() -> None:
    implementation = load("agent_run")
    recording = Recording(implementation)
    with pytest.raises(ValueError, match="terminal"):
        recording.run.emit(implementation.adapter.make_event("run-completed", {}))
    (record,) = (record for record in recording.records() if "return" in record)
    assert record["reply"] == "refused"
    assert record["error"].startswith("ValueError: run-completed is a terminal event")


def test_an_event_that_cannot_carry_the_number_of_its_call_is_refused() -> None:
    implementation = load("agent_run")
    event = implementation.adapter.make_event("attempt-started", example_payload("attempt-started"))
    with pytest.raises(ValueError, match="has no field to spare for the number of its call"):
        Recording(implementation).run.emit(event)


def test_the_payload_of_what_is_recorded_stays() -> None:
    implementation = load("agent_run")
    seen: list[Any] = []
    recording = Recording(implementation)
    recording.run.tap(seen.append)
    event = implementation.adapter.make_event("log", {"level": "error", "data": {"a": 1}})
    assert recording.run.emit(event) is True
    assert record_traces.Changes().until(lambda: seen, record_traces.WAIT)
    plain = implementation.adapter.plain(seen[0])
    assert (plain["level"], plain["data"], plain["logger"]) == ("error", {"a": 1}, "2")


# --- what is no recording ---


def lines() -> list[dict[str, Any]]:
    text = (GOOD / "a_run_ends_before_it_is_cancelled-reference.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def written(folder: Path, records: list[Any]) -> Path:
    file = folder / "bad.jsonl"
    texts = [record if isinstance(record, str) else json.dumps(record) for record in records]
    file.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return file


def changed(at: int, **fields: Any) -> list[Any]:
    records: list[Any] = lines()
    records[at] = {**records[at], **fields}
    return records


def without(*places: int) -> list[Any]:
    """Without some lines, and numbered anew."""
    kept = [record for at, record in enumerate(lines()) if at not in places]
    return [kept[0], *({**record, "n": n} for n, record in enumerate(kept[1:], 1))]


def inserted(at: int, record: dict[str, Any]) -> list[Any]:
    head, *records = lines()
    records.insert(at - 1, {"thread": "MainThread", **record})
    return [head, *({**one, "n": n} for n, one in enumerate(records, 1))]


BAD = {
    "no line at all": ([], 1, "this is no JSON"),
    "no header": (lines()[1:], 1, "the first line has no trace"),
    "another version": (changed(0, trace=2), 1, "trace is 2; only version 1 can be read"),
    "another contract": (changed(0, contract="2.0"), 1, "it is of contract 2.0, the model of 1.0; record it again"),
    "a header of another kind": (changed(0, hook="yes"), 1, 'hook is "yes"; it must be true or false'),
    "no JSON": ([*lines()[:3], '{"n": 3, "thr', *lines()[4:]], 4, "this is no JSON"),
    "nested without end": ([*lines()[:3], "[" * 100_000, *lines()[4:]], 4, "this is nested too deeply"),
    "a seq that TLC cannot count to": (
        inserted(5, {"tap": 1, "handed": 2**31, "of": None}),
        6,
        "handed is 2147483648; it must be an integer from 0 to 1000000000, or null",
    ),
    "no object": ([*lines()[:3], "[]", *lines()[4:]], 4, "this is no JSON object"),
    "cut off": (lines()[:-1], len(lines()) - 1, "the file is cut off: its last line is no end"),
    "out of order": ([lines()[0], lines()[2], lines()[1], *lines()[3:]], 2, "n is 2 where 1 is next"),
    "a line is missing": ([*lines()[:4], *lines()[5:]], 5, "n is 5 where 4 is next"),
    "after the end": ([*lines(), lines()[-1]], len(lines()) + 1, "there is something after the end"),
    "an unknown kind": (changed(3, call="pause"), 4, 'call is "pause"; it must be one of emit, finish, tap, close'),
    "no kind": ([*lines()[:3], {"n": 3, "thread": "a", "sleeps": 1}, *lines()[4:]], 4, "unknown kind of record"),
    "two kinds": (changed(3, done=True), 4, "unknown kind of record"),
    "an unknown field": (changed(3, colour="red"), 4, "there is no field colour in such a record"),
    "a missing field": ([*lines()[:3], {"n": 3, "call": "emit"}, *lines()[4:]], 4, "thread is missing"),
    "a wrong type": (changed(3, thread=7), 4, "thread is 7; it must be a string"),
    "an id that was called before": (changed(3, id=1), 4, "id 1 was called before"),
    "an id that returns twice": (inserted(3, {"return": 1, "reply": None}), 4, "id 1 has returned before"),
    "an id that was never called": (inserted(3, {"return": 99, "reply": None}), 4, "id 99 was never called"),
    "a call that does not return": (without(2), len(lines()) - 1, "call 1 has not returned"),
    "a tap that was never called": (inserted(3, {"tap": 9, "done": True}), 4, "tap 9 was never called"),
    "a tap that is closed and was never called": (
        inserted(3, {"call": "close", "id": 77, "tap": 9}),
        4,
        "tap 9 was never called",
    ),
    "a tap that is made twice": (inserted(3, {"call": "tap", "id": 77, "tap": 1}), 4, "tap 1 was made before"),
    "an event of no call": (inserted(3, {"tap": 1, "handed": 0, "of": 99}), 4, "id 99 was never called as emit"),
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_no_recording_is_refused_in_one_line(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records, line, message = BAD[what]
    file = written(tmp_path, records)
    assert tools.main(["trace", str(file)]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith(f"tla/tools.py: {file}:{line}: {message}")


def test_a_file_that_is_not_there_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tools.main(["trace", str(tmp_path / "none.jsonl")]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith(f"tla/tools.py: {tmp_path / 'none.jsonl'}: it cannot be read")


def test_a_crash_of_tlc_is_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tlc.Checker, "command", lambda self, job: ["echo", "Error: the disk is full"])
    file = GOOD / "a_tap_closes-reference.jsonl"
    assert tools.main(["trace", str(file)]) == 2
    assert capsys.readouterr().err == (
        "tla/tools.py: TLC came to no end (crashed); its last lines:\nError: the disk is full\n"
        f"to repeat it and keep the files: python tla/tools.py trace --keep DIRECTORY {file}\n"
    )


def test_a_crash_of_tlc_is_no_graph(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(tlc.Checker, "command", lambda self, job: ["echo", "Error: the disk is full"])
    assert tools.main(["export"]) == 2
    assert capsys.readouterr().err == (
        "tla/tools.py: TLC wrote no graph (crashed); its last lines:\nError: the disk is full\n"
        "to repeat it: python tla/tools.py export\n"
    )


# --- the search itself ---

STEPS_OF_ITS_OWN = {
    "KeepCancellation /\\ Silently": "cancelled' = ~cancelled /\\ UNCHANGED <<closed, result, log, sections, drained,"
    " claimed, hook, tap>> /\\ Silently",
    "Unpark(n)": "UNCHANGED <<closed, result, log, sections, drained, claimed, cancelled, hook>>"
    " /\\ tap' = [tap EXCEPT ![n].parked = FALSE, ![n].at = 0]",
}


@pytest.mark.parametrize("step", STEPS_OF_ITS_OWN)
def test_a_search_that_takes_a_step_of_its_own_is_found_out(
    step: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in TLA.glob("*.tla"):
        shutil.copy(module, tmp_path)
    text = (TLA / "TraceRun.tla").read_text(encoding="utf-8")
    assert step in text
    (tmp_path / "TraceRun.tla").write_text(text.replace(step, STEPS_OF_ITS_OWN[step], 1), encoding="utf-8")
    trace = trace_file.read(BROKEN / "two_hook_calls.jsonl", contract_version())
    with pytest.raises(tlc.SetupError, match="OnlyRunProp"):
        trace_check.validate([trace], tlc.find_checker(tmp_path))
