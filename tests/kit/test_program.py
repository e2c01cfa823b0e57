"""Programs and the machine that draws them: a failure can be run again as it is printed, and what is right passes."""

import itertools
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from agent_run_tck.budgets import BUDGETS
from agent_run_tck.loading import load
from agent_run_tck.model.contract import Parks, State, apply, initial_states, is_internal, resting, steps
from agent_run_tck.model.machine import machine_for
from agent_run_tck.model.program import HookKind, Program
from attrs import evolve
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.kit.suite_run import ROOT, SUITE, run_pytest

BROKEN = ROOT / "tests" / "broken"
RIGHT = ["agent_run", *sorted(str(path) for path in (ROOT / "tests" / "variants").glob("[a-z]*.py"))]
SHORT = evolve(BUDGETS["quick"], wait=1)
SECONDS = 60
HEADING = "The program that shows it:"

# --- what a failure prints ------------------------------------------------------------------------------------------


def printed_program(output: str) -> str:
    """The program in pytest's output, whose lines of an error start with E."""
    lines = [line[1:] for line in output.splitlines() if line.startswith("E ")]
    (start,) = [number for number, line in enumerate(lines) if HEADING in line]
    indent = " " * (len(lines[start]) - len(lines[start].lstrip()) + 4)
    indented = itertools.takewhile(lambda line: not line.strip() or line.startswith(indent), lines[start + 1 :])
    return textwrap.dedent("\n".join(indented)).strip() + "\n"


def problem(text: str) -> str:
    """The line above the program."""
    (line,) = re.findall(rf"AssertionError: (.+)\n(?:E? *\n)?E? *{HEADING}", text)
    return str(line)


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ("emit_4_puts_a_late_log_before_the_terminal", "STREAM"),
        ("drain_1_keeps_drained_at_cancel", "DRAIN-1 to DRAIN-5"),
    ],
)
def test_a_failing_program_fails_the_same_way_on_its_own(tmp_path: Path, broken: str, says: str) -> None:
    """Of a fault in what is seen and of one in what is kept."""
    run = run_pytest(*SUITE, f"--impl={BROKEN / broken}.py", "-k", "test_programs_do", "--budget=quick", cwd=tmp_path)
    assert run.exit_status == pytest.ExitCode.TESTS_FAILED, run.output
    program = printed_program(run.output)
    assert 4 <= len(program.splitlines()) <= 10, program
    (tmp_path / "program.py").write_text(program)
    command = [sys.executable, "program.py"]
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert again.returncode == 1, again.stderr
    assert says in problem(run.output)
    assert problem(again.stderr) == problem(run.output)


REFUSALS: dict[str, Callable[[Program], None]] = {
    "emit() replied True, but must reply False (EMIT-1, EMIT-4)": Program.emit,
    "work_begin() replied True, but must reply False (WORK-1, WORK-3)": Program.work_begin,
    "finish('failed') replied True, but must reply False (FINISH-1)": lambda program: program.finish("failed"),
}


@pytest.mark.parametrize(("says", "operation"), REFUSALS.items())
def test_a_wrong_reply_is_told_with_the_right_one(says: str, operation: Callable[[Program], None]) -> None:
    program = Program("agent_run", budgets=SHORT)
    program.finish("completed")
    program._run.handle = Program("agent_run")._run.handle  # as if it had been opened again
    with pytest.raises(AssertionError, match=re.escape(says)):
        operation(program)
    program.end()


def test_a_hang_is_told_with_the_program(tmp_path: Path) -> None:
    hangs = tmp_path / "hangs.py"
    hangs.write_text(
        "import threading\nfrom agent_run import Run as RightRun, events\nclass Run(RightRun):\n"
        "    def work_done(self): threading.Event().wait()"
    )
    program = Program(str(hangs), budgets=SHORT)
    program.work_begin()
    with pytest.raises(AssertionError, match=r"work_done\(\) did not come back within 1 s") as failed:
        program.work_done()
    lines = ["program.work_begin()  # replied True", "program.work_done()"]
    assert [line.strip() for line in str(failed.value).splitlines()][-2:] == lines
    program.end()


# --- where a run may rest, by brute force ---------------------------------------------------------------------------

LABELS = ("EmitTrue", "Tap1", "Tap2", "CancelAccepted", "FinishFailedTrue", "WorkBeginTrue", "CloseTap1")
PARKS: tuple[Parks, ...] = ({}, {1: 0}, {1: 1}, {2: 0}, {1: 0, 2: 1})


def own_steps(state: State, parks: Parks) -> Iterator[tuple[str, State]]:
    """All that may happen without a call, where a callback parks just at the delivery that `parks` names."""
    for label, after in steps(state):
        if is_internal(label) and (not label.startswith("Deliver") or parks_as_told(state, label, parks)):
            yield label, after


def parks_as_told(state: State, label: str, parks: Parks) -> bool:
    number = int(label[-1])
    return label.startswith("DeliverAndPark") == (parks.get(number) == len(state.tap[number - 1].seen))


def may_wait(state: State, label: str) -> bool:
    """Whether the step need not come: drained while the hook is out, a tap while a callback is parked."""
    if label == "KeepDrained":
        return state.hook in ("due", "running")
    return label[-1].isdigit() and any(tap.parked for tap in state.tap)


def brute_force(states: Iterable[State], parks: Parks) -> frozenset[State]:
    found: set[State] = set()
    todo = list(states)
    while todo:
        state = todo.pop()
        if state not in found:
            found.add(state)
            todo += [after for _, after in own_steps(state, parks)]
    return frozenset(state for state in found if all(may_wait(state, label) for label, _ in own_steps(state, parks)))


def after_all(labels: Iterable[str], parks: Parks) -> frozenset[State]:
    states = frozenset(state for state in initial_states() if state.hook == "idle")
    for label in labels:
        states = apply(brute_force(states, parks), label) or states
    return states


@pytest.mark.parametrize("parks", PARKS, ids=str)
def test_resting_is_what_every_order_of_steps_leads_to(parks: Parks) -> None:
    several = 0
    for labels in itertools.permutations(LABELS, 3):
        states = after_all(("Tap1", "EmitTrue", *labels), parks)
        expected = brute_force(states, parks)
        several += len(expected) > 1
        assert resting(states, parks) == expected, labels
    assert several >= 10


# --- the machine raises no false alarm ------------------------------------------------------------------------------


@pytest.mark.parametrize("right", RIGHT, ids=lambda right: Path(right).stem)
def test_the_machine_passes_what_is_right_however_it_is_built(right: str) -> None:
    budgets = evolve(BUDGETS["standard"], examples=40)
    chosen = settings(max_examples=40, stateful_step_count=30, deadline=None, derandomize=True, database=None)
    run_state_machine_as_test(machine_for(load(right), budgets), settings=chosen)


@pytest.mark.parametrize("hook", ["unset", "returns", "throws", "parks"])
def test_a_run_from_beginning_to_end_is_what_the_model_says(hook: HookKind) -> None:
    program = Program("agent_run", hook=hook)
    program.emit()
    program.tap(throws_at=0)
    program.tap(parks_at=1)
    program.cancel()
    program.work_begin()
    program.emit()
    program.emit()
    program.finish_non_terminal()
    program.emit_terminal()
    program.finish("cancelled")
    program.work_done()
    if hook == "parks":
        program.hook_return()
    program.unpark(2)
    program.close_tap(1)
    program.end()
    (state,) = program.states
    assert (state.result, state.drained, state.cancelled) == ("cancelled", True, True)
    assert [tap.seen for tap in state.tap] == [(0, 1, 2, 3), (1, 2, 3)]


def test_the_machine_finds_what_is_wrong() -> None:
    machine = machine_for(load(str(BROKEN / "emit_4_puts_a_late_log_before_the_terminal.py")), SHORT)
    phases = (Phase.generate, Phase.shrink)
    chosen = settings(max_examples=60, deadline=None, derandomize=True, database=None, phases=phases)
    with pytest.raises(AssertionError, match=HEADING):
        run_state_machine_as_test(machine, settings=chosen)
