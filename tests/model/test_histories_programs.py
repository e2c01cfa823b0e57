"""Programs on several threads: what is right passes, what is wrong is found, made short, written down and replayed."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trace_file
from agent_run_tck import cli
from agent_run_tck.budgets import BUDGETS
from agent_run_tck.histories import checking
from agent_run_tck.histories.case_file import read
from agent_run_tck.histories.history import History
from agent_run_tck.histories.program import STEPS, ParallelProgram, programs
from agent_run_tck.histories.replay import TRIES
from agent_run_tck.histories.running import Outcome, run, takes_calls_from_threads
from agent_run_tck.histories.search import Verdict, check
from agent_run_tck.histories.shrinking import Effort, shrunk
from agent_run_tck.index import contract_version
from agent_run_tck.loading import load
from attrs import evolve
from by_hand import history
from hypothesis import HealthCheck, given, settings

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
BROKEN = ROOT / "tests" / "broken"
PORT = ROOT / "conformance" / "ports" / "asyncio_run.py"
RIGHT = ["agent_run", str(PORT), *sorted(str(path) for path in (ROOT / "tests" / "variants").glob("[a-z]*.py"))]
GOOD_RECORDING = ROOT / "tla" / "traces" / "good" / "a_run_ends_before_it_is_cancelled-reference.jsonl"
BUDGET = evolve(BUDGETS["standard"], wait=30)
HURRIED = evolve(BUDGET, wait=4, examples=400, race=60)
LATE = ParallelProgram(threads=[["emit", "emit"], ["finish failed"]])


# --- programs as data ---------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(programs())
def test_a_program_is_read_back_as_it_was_written(program: ParallelProgram) -> None:
    assert ParallelProgram.from_data(json.loads(json.dumps(program.as_data()))) == program
    assert 2 <= len(program.threads) <= 4
    assert {step for script in (program.before, *program.threads) for step in script} <= set(STEPS)


@settings(max_examples=60, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(programs())
def test_a_shorter_program_is_shorter_in_some_way_and_so_there_is_an_end(program: ParallelProgram) -> None:
    def measure(one: ParallelProgram) -> tuple[Any, ...]:
        plain = sum(step in ("finish failed", "finish cancelled") for script in one.threads for step in script)
        return one.size, sum(map(len, one.threads)), one.hook != "unset", plain

    for shorter in program.shorter():
        assert measure(shorter) < measure(program)


# --- making them shorter ------------------------------------------------------------------------------------------

GOOD = Verdict(history(), None, ())
BAD = Verdict(history("A emit x", "A -> false", "A emit y"), 1, ())


def fails_sometimes(often: float, wrong: Callable[[ParallelProgram], bool]) -> Callable[[ParallelProgram], Outcome]:
    """Instead of an implementation: what is wrong shows in so many of all runs."""
    rng = random.Random(1)
    return lambda program: Outcome(program, BAD if wrong(program) and rng.random() < often else GOOD)


def emits_beside_finish(program: ParallelProgram) -> bool:
    with_emit = [at for at, script in enumerate(program.threads) if "emit" in script]
    with_finish = [at for at, script in enumerate(program.threads) if any("finish" in step for step in script)]
    return any(one != other for one, other in itertools.product(with_emit, with_finish))


@pytest.mark.parametrize("often", [1.0, 0.3])
def test_a_program_that_fails_now_and_then_becomes_as_short_as_it_can(often: float) -> None:
    threads = [["tap a", "emit", "cancel"], ["cancel", "finish failed", "emit"], ["observe drained", "close a"]]
    program = ParallelProgram("returns", ["emit", "work_begin"], threads)
    attempt = fails_sometimes(often, emits_beside_finish)
    failure = shrunk(Outcome(program, BAD), attempt, Effort(tries=30, seconds=60))
    assert failure.outcome.program == ParallelProgram(threads=[["emit"], ["finish completed"]])
    assert (failure.failed, failure.tried) == (30, 30) if often == 1 else 0 < failure.failed < 30


def test_what_a_deadline_has_shown_does_not_take_the_place_of_what_was_seen() -> None:
    """On a slow machine a shorter program may look as if something were missing."""
    waited = Outcome(LATE, Verdict(history("rest"), 0, ()))
    assert waited.waited
    failure = shrunk(Outcome(LATE, BAD), lambda program: evolve(waited, program=program), Effort(tries=2))
    assert failure.outcome.program == LATE


# --- what is right ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("right", RIGHT, ids=lambda right: Path(right).stem)
def test_programs_pass_what_is_right_however_it_is_built(right: str) -> None:
    assert checking.find(load(right), evolve(BUDGET, examples=4, race=1000), 1, Effort()) == checking.Tried(24, None)


def test_only_what_takes_calls_from_threads_is_called_from_several() -> None:
    assert takes_calls_from_threads(load("agent_run"))
    assert takes_calls_from_threads(load(str(PORT)))
    alone = evolve(load("agent_run"), capabilities=evolve(load("agent_run").capabilities, threads=False))
    assert not takes_calls_from_threads(alone)


# --- what is wrong ------------------------------------------------------------------------------------------------

FAULTS = {
    HERE / "an_emit_that_looks_too_early.py": ("FINISH-3|EMIT-", None),
    BROKEN / "finish_1_accepts_a_late_run_cancelled.py": ("FINISH-1", 3),
    BROKEN / "drain_1_keeps_drained_at_cancel.py": ("DRAIN-1", 4),
    BROKEN / "cancel_2_calls_the_hook_for_each_cancel.py": ("CANCEL-2", 3),
    BROKEN / "stream_2_replays_to_every_tap.py": ("STREAM-2", None),
    BROKEN / "work_2_counts_each_thread_by_itself.py": ("DRAIN-", None),
}
"""With the requirement, and how many calls are enough where it shows nearly each time and without a deadline."""


@pytest.mark.parametrize("path", FAULTS, ids=lambda path: path.stem)
def test_a_fault_is_found_made_short_and_replayed(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    requirement, size = FAULTS[path]
    properties: dict[str, object] = {}
    with pytest.raises(AssertionError) as failed:
        checking.check(
            load(str(path)), HURRIED, 3, tmp_path, properties.__setitem__, Effort(3, 60) if size else Effort(1, 0.5)
        )
    assert re.search(requirement, str(failed.value).splitlines()[0])
    case = tmp_path / "case.jsonl"
    assert f"agent-run-tck replay {case} --impl=" in str(failed.value)
    assert properties["parallel programs"] >= 1  # type: ignore[operator]
    program = read(case).program
    assert program is not None
    assert size is None or program.size <= size
    assert cli.main(["replay", str(case)]) == 1
    assert str(failed.value).splitlines()[0] in capsys.readouterr().out


# --- the command --------------------------------------------------------------------------------------------------


@pytest.fixture
def case(tmp_path: Path) -> Path:
    """A case that somebody has kept: a finish that wins a second time, seen once."""
    right = run(load("agent_run"), LATE, BUDGET)
    lines = [right.verdict.history.header, *right.verdict.history.records]
    late = next(line for line in reversed(lines) if line.get("return") and line["reply"] is False)
    wrong = [{**line, "reply": True} if line is late else line for line in lines]
    checking.write(tmp_path / "case.jsonl", Outcome(LATE, check(History(wrong[0], wrong[1:]))))
    return tmp_path / "case.jsonl"


def test_what_was_recorded_is_judged_without_an_implementation(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["replay", str(case)]) == 1
    verdict, _, sentence, *_, last = capsys.readouterr().out.splitlines()
    assert verdict.startswith("the contract does not allow what was recorded: ")
    assert sentence.endswith(
        "but another finish had closed the run by then; the contract allows false (FINISH-1, FINISH-4)"
    )
    assert last.endswith("finish(run-completed) -> true")
    assert cli.main(["replay", str(GOOD_RECORDING)]) == 0
    assert capsys.readouterr().out == "the contract allows what was recorded: 34 records\n"


def test_the_page_shows_what_the_command_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "conformance" / "histories.md").read_text(encoding="utf-8")
    ((command, shown),) = re.findall(r"```\n\$ agent-run-tck (.*?)\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(ROOT)
    assert cli.main(command.split()) == 1
    assert capsys.readouterr().out == shown
    assert f"up to {TRIES} times" in page
    assert Effort().tries == 20


def test_a_program_is_run_again(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["replay", str(case), "--impl=agent_run", "--tries=5"]) == 0
    assert capsys.readouterr().out == "the contract allows what agent_run did in 5 of 5 tries\n"
    assert cli.main(["replay", str(case), f"--impl={HERE / 'an_emit_that_looks_too_early.py'}", "--tries=50"]) == 1
    assert re.match(
        r"the contract does not allow what an_emit_that_looks_too_early did in try \d+ of 50\n\n",
        capsys.readouterr().out,
    )


def test_a_hang_is_told_written_and_judged_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hangs = load(str(HERE / "a_hanging_work_done.py"))
    outcome = run(
        hangs, ParallelProgram(threads=[["work_begin", "finish failed", "work_done"]]), evolve(BUDGET, wait=2)
    )
    assert "what is called on thread 1 did not come back within 2 s; it stands" in outcome.hang
    checking.write(tmp_path / "case.jsonl", outcome)
    end = json.loads((tmp_path / "case.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    assert end["unexplained"]["why"] == outcome.hang
    assert cli.main(["replay", str(tmp_path / "case.jsonl")]) == 1
    assert "work_done() on thread 1 has not returned" in capsys.readouterr().out


def test_a_case_is_a_trace_that_the_model_checker_reads(case: Path) -> None:
    trace = trace_file.read(case, contract_version())
    assert trace.header["program"] == LATE.as_data()
    assert [*trace.records] == [*read(case).history.records]
    unexplained = trace.records[-1]["unexplained"]
    assert unexplained["allowed"] == ["false"]
    assert unexplained["requirements"] == ["FINISH-1", "FINISH-4"]


def lines(case: Path) -> list[Any]:
    return [json.loads(line) for line in case.read_text(encoding="utf-8").splitlines()]


def changed(at: int, **fields: Any) -> Callable[[list[Any]], list[Any]]:
    return lambda records: [{**record, **fields} if n == at else record for n, record in enumerate(records)]


def program(**fields: Any) -> Callable[[list[Any]], list[Any]]:
    return lambda records: [{**records[0], "program": {**records[0]["program"], **fields}}, *records[1:]]


BAD_FILES: dict[str, tuple[Callable[[list[Any]], list[Any]], int, str]] = {
    "nothing": (
        lambda records: [],
        1,
        "this is no JSON (Expecting value: line 1 column 1 (char 0)); every line is one",
    ),
    "no header": (
        lambda records: records[1:],
        1,
        "the first line has no trace, so this is no recording; give the file",
    ),
    "another version": (changed(0, trace=2), 1, "trace is 2; only version 1 can be read"),
    "another contract": (changed(0, contract="9.0"), 1, "it is of contract 9.0, and this kit of 1.0; record it anew"),
    "a header of another kind": (changed(0, hook="yes"), 1, 'hook is "yes"; it must be of type boolean'),
    "no program": (changed(0, program=[]), 1, "program is []; it must be of type object"),
    "half a program": (changed(0, program={}), 1, "the program must be an object with just hook, before and threads"),
    "an unknown hook": (
        program(hook="parks"),
        1,
        "the hook of the program is 'parks'; it must be one of unset, returns",
    ),
    "no scripts": (program(threads=7), 1, "the threads of the program must be a list of scripts"),
    "no script": (program(threads=["emit"]), 1, "every script of the program must be a list of steps"),
    "an unknown step": (
        program(before=["sleep"]),
        1,
        "the program has the step 'sleep'; a step is one of emit, finish",
    ),
    "no object": (lambda records: [*records[:2], 7, *records[3:]], 3, "this is no JSON object; every line is one"),
    "an unknown kind": (
        lambda records: [*records[:2], {"n": 2}, *records[3:]],
        3,
        "this is no kind of record that there",
    ),
    "an unknown operation": (changed(1, call="pause"), 2, 'call is "pause"; it must be "work_begin" or "work_done" or'),
    "a field too many": (changed(2, colour=1), 3, "there is no field colour in a"),
    "a field too few": (
        lambda records: [records[0], {"n": 1, "call": "emit", "id": 1}],
        2,
        "thread is missing in this",
    ),
    "a wrong number": (changed(2, n=0), 3, "n is 0; it must be 1 or more, and not too large"),
    "a line is missing": (lambda records: [*records[:2], *records[3:]], 3, "n is 3 where 2 is next: a line is missing"),
    "cut off": (lambda records: records[:-1], 0, "the file is cut off: its last line is no end; record it anew"),
    "after the end": (lambda records: [*records, records[-1]], 0, "there is something after the end; take it away"),
    "a return of nobody": (
        lambda records: [records[0], {"n": 1, "thread": "A", "return": 9, "reply": None}],
        2,
        "call 9 is not under way, so it cannot return",
    ),
    "a tap of nobody": (
        lambda records: [records[0], {"n": 1, "thread": "A", "tap": 9, "done": True}],
        2,
        "tap 9 was never made",
    ),
}


@pytest.mark.parametrize("what", BAD_FILES)
def test_a_file_of_no_use_is_one_clear_line(what: str, case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change, line, says = BAD_FILES[what]
    records = change(lines(case))
    case.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    assert cli.main(["replay", str(case)]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith(f"agent-run-tck: {case}:{line or len(records)}: {says}"), said


def test_what_cannot_be_replayed_is_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["replay", str(tmp_path / "none.jsonl")]) == 2
    assert capsys.readouterr().err.startswith(f"agent-run-tck: {tmp_path / 'none.jsonl'}: it cannot be read (")
    assert cli.main(["replay", str(GOOD_RECORDING), "--impl=agent_run"]) == 2
    assert "has no program to run; leave out --impl to judge what was recorded" in capsys.readouterr().err


def test_an_implementation_of_no_use_is_one_clear_line(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["replay", str(case), "--impl=no_such_module"]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("agent-run-tck: --impl=no_such_module: ")


@pytest.mark.parametrize("options", [[], ["a", "--tries=0"], ["a", "--tries=x"], ["a", "--seed=x"], ["a", "--bogus"]])
def test_a_wrong_command_line_ends_with_2(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["replay", *options])
    assert end.value.code == 2
    assert "agent-run-tck replay: error: " in capsys.readouterr().err
