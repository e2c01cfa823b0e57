"""Programs drawn by Hypothesis, run on several threads: the first that fails is made shorter, told and written down."""

import shlex
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import evolve, frozen
from hypothesis import HealthCheck, Phase, given, seed, settings

from agent_run_tck.budgets import Budgets
from agent_run_tck.histories import case_file
from agent_run_tck.histories.disturbing import Disturber
from agent_run_tck.histories.explain import explain
from agent_run_tck.histories.program import ParallelProgram, programs
from agent_run_tck.histories.running import Outcome, run
from agent_run_tck.histories.shrinking import Effort, Failure, shrunk
from agent_run_tck.histories.table import table
from agent_run_tck.protocol import Implementation

PROGRAMS = "parallel programs"
"""The property of a report that says how many programs were run."""
PROGRAMS_PER_EXAMPLE = 6
SECONDS_PER_RACE = 3
SHRINKING_PER_RACE = 10
HURRIED = 1.0


class Enough(BaseException):
    """Ends the drawing. Hypothesis takes any Exception for a failure of the program, and lets this one through."""


@frozen
class Tried:
    """How many programs were run, and the failure of the last of them, if it failed."""

    programs: int
    failure: Failure | None


def check(
    implementation: Implementation,
    budgets: Budgets,
    chosen: int,
    folder: Path,
    record: Callable[[str, object], None],
    effort: Effort | None = None,
) -> None:
    """Run as many programs as the budget says, drawn with the seed `chosen`; AssertionError for one that fails.

    Belongs to one thread, and blocks for about as long as the budget says. The case goes into a file in `folder`.
    """
    __tracebackhide__ = True
    tried = find(implementation, budgets, chosen, effort or Effort(seconds=SHRINKING_PER_RACE * budgets.race))
    record(PROGRAMS, tried.programs)
    if tried.failure is not None:
        path = folder / "case.jsonl"
        write(path, tried.failure.outcome)
        raise AssertionError(told(tried.failure, path, implementation))


def find(implementation: Implementation, budgets: Budgets, chosen: int, effort: Effort) -> Tried:
    """Draw and run programs until one fails or the budget is spent, and make that one shorter."""
    disturber = Disturber(chosen)
    first: list[Outcome] = []
    deadline = time.monotonic() + SECONDS_PER_RACE * budgets.race
    tried = 0

    @seed(chosen)
    @settings(
        max_examples=PROGRAMS_PER_EXAMPLE * budgets.examples,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(programs())
    def draw(program: ParallelProgram) -> None:
        """Never fails: to Hypothesis, a program that fails now and then would be a fault of the test."""
        nonlocal tried
        tried += 1
        outcome = run(implementation, program, budgets, disturber)
        first.extend([] if outcome.right else [outcome])
        if first or time.monotonic() > deadline:
            raise Enough

    with disturber.block():
        with suppress(Enough):
            draw()
        if not first:
            return Tried(tried, None)
        hurried = evolve(budgets, wait=min(budgets.wait, HURRIED))
        return Tried(tried, shrunk(first[0], lambda program: run(implementation, program, hurried, disturber), effort))


# --- what is told of a failure ------------------------------------------------------------------------------------


def write(path: Path, outcome: Outcome) -> None:
    """Write the case into a file."""
    history = outcome.verdict.history
    case_file.write(path, history, outcome.program, _why(outcome))


def _why(outcome: Outcome) -> dict[str, Any]:
    history = outcome.verdict.history
    if outcome.verdict.allowed:
        return {"n": history.records[-1]["n"], "why": outcome.hang, "allowed": [], "requirements": []}
    return case_file.reason(history, explain(outcome.verdict))


def reason_and_table(outcome: Outcome) -> str:
    """The record that cannot be explained, and the history up to it."""
    history = outcome.verdict.history
    if outcome.verdict.allowed:
        return f"{outcome.hang}\n\n{table(history, len(history.records) - 1)}"
    explanation = explain(outcome.verdict)
    return f"{explanation.sentence}\n\n{table(history, explanation.at)}"


def told(failure: Failure, path: Path, implementation: Implementation) -> str:
    """The failure, for people."""
    program = failure.outcome.program
    scripts = {"before": program.before, **{f"thread {n}": one for n, one in enumerate(program.threads, 1)}}
    often = f"{failure.failed} of {failure.tried}"
    return "\n".join(
        [
            reason_and_table(failure.outcome),
            "",
            f"The shortest program that was found to fail; it failed again in {often} tries:",
            f"  hook: {program.hook}",
            *(f"  {name}: {', '.join(script) or 'nothing'}" for name, script in scripts.items()),
            "",
            f"To run it again: agent-run-tck replay {shlex.quote(str(path))} --impl={shlex.quote(implementation.spec)}",
        ]
    )
