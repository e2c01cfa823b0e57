"""The suite asks a port as it asks an implementation in its own process: what holds holds, what is broken is caught."""

import sys
from pathlib import Path

import pytest

from tests.kit.suite_run import ROOT, run_suite

PORT = f"exec:{sys.executable} {ROOT / 'conformance' / 'ports' / 'model_port.py'}"
BROKEN = ROOT / "tests" / "broken"
TRIES = 5
QUICK = ("-m", "not model and not stochastic", "-k", "not test_long_runs")
PLAIN = ("-p", "tests.kit.plain_budgets")  # so that a hang takes as long everywhere
HERE = {"PYTHONPATH": str(ROOT)}
IN_PROCESS = ("RESULT-10", "RESULT-11", "LEAF-5", "ISO-3", "ISO-4", "EVENT-14")
"""What only the process of the suite can show."""
CAUGHT = {
    "cancel_4_calls_the_hook_on_a_thread_of_its_own": "CANCEL-4",
    "emit_5_stamps_the_event_of_the_caller_too": "EMIT-5",
    "emit_6_keeps_a_foreign_run_id": "EMIT-6",
    "event_9_takes_local_time": "EVENT-9",
    "leaf_2_calls_the_hook_under_a_lock": "LEAF-2",
    "promise_4_wakes_one_of_many_waiters": "PROMISE-4",
    "stream_12_loses_what_comes_during_the_replay": "STREAM-12",
    "stream_15_delivers_recursively": "STREAM-15",
}
"""A fault for each way that callbacks, threads and events take to a port and back."""


def test_the_reference_behind_a_port_passes(tmp_path: Path) -> None:
    run = run_suite(f"{PORT} agent_run", tmp_path, "--profile=run,events", *QUICK, "-n", "2")
    assert run.exit_status == pytest.ExitCode.OK, run.output
    for family in ("IDENT", "PROMISE", "STREAM", "EMIT", "FINISH", "CANCEL", "DRAIN", "WORK"):
        assert f"\n{family:<8} passed" in run.output, family
    for id in IN_PROCESS:
        family, _, number = id.partition("-")
        (line,) = (each for each in run.lines if each.startswith(f"{family} "))
        assert number in line.partition("not applicable")[2].split(), line


@pytest.mark.parametrize("name", CAUGHT)
def test_what_is_broken_behind_a_port_is_caught(name: str, tmp_path: Path) -> None:
    asked = (*QUICK, *PLAIN, f"--requirement={CAUGHT[name]}")
    run = run_suite(f"{PORT} {BROKEN / name}.py", tmp_path, *asked, environment=HERE)
    assert set(run.failures) == {CAUGHT[name]}, run.output
    assert f"{CAUGHT[name]} is violated" in run.output, run.output


@pytest.mark.parametrize(
    ("name", "id"), [("finish_4_lets_two_win", "FINISH-4"), ("emit_2_takes_the_seq_outside_the_lock", "EMIT-9")]
)
def test_a_race_inside_a_port_is_caught(name: str, id: str, tmp_path: Path) -> None:
    asked = ("-k", "test_races_of_ports", f"--requirement={id}", "--budget=standard")
    command = f"{PORT} {BROKEN / 'racy' / name}.py"
    # A race is found or not; on a machine that does something else a second may be too short for it.
    runs = (run_suite(command, tmp_path, *asked, environment=HERE) for _ in range(TRIES))
    found = next((run for run in runs if id in run.failures), None)
    assert found is not None, f"{id} was not found in {TRIES} runs"
    assert f"{id} is violated" in found.output, found.output


def test_races_of_ports_are_not_for_what_is_in_the_process(tmp_path: Path) -> None:
    run = run_suite("agent_run", tmp_path, "-k", "test_races_of_ports")
    assert run.exit_status == pytest.ExitCode.NO_TESTS_COLLECTED, run.output
