"""Makes a failing program shorter by repetition: threads may meet otherwise each time, so one run proves nothing.

Hypothesis draws programs, but its own shrinker takes a program that fails now and then for a fault of the test.
"""

import time
from collections.abc import Callable, Iterable

from attrs import frozen

from agent_run_tck.histories.program import ParallelProgram
from agent_run_tck.histories.running import Outcome

Try = Callable[[ParallelProgram], Outcome]


@frozen
class Effort:
    """`tries`: how often a shorter program is run before it counts as one that does not fail. `seconds`: when making it
    shorter ends, whatever there is left to try."""

    tries: int = 20
    seconds: float = 10.0


@frozen
class Failure:
    """The shortest program that failed, how it did, and how often it does: `failed` of `tried` runs."""

    outcome: Outcome
    failed: int
    tried: int


def failing(program: ParallelProgram, attempt: Try, tries: int, waiting: bool = True) -> Outcome | None:
    """The first run of the program that is not right, in so many tries; unless `waiting`, one that a deadline has
    shown does not count."""
    for _ in range(tries):
        outcome = attempt(program)
        if not outcome.right and (waiting or not outcome.waited):
            return outcome
    return None


def shrunk(first: Outcome, attempt: Try, effort: Effort) -> Failure:
    """The shortest program that still fails, found greedily; blocks for `effort.seconds`, and some tries more."""
    deadline = time.monotonic() + effort.seconds
    tries = 1 if first.hang else effort.tries
    found = first
    shorter: Outcome | None = first
    while shorter is not None and time.monotonic() < deadline:
        found = shorter
        candidates = (program for program in found.program.shorter() if program.size)
        outcomes = (
            failing(one, attempt, tries if time.monotonic() < deadline else 0, first.waited) for one in candidates
        )
        shorter = next((outcome for outcome in outcomes if outcome is not None), None)
    again = [outcome for outcome in (attempt(found.program) for _ in range(tries)) if not outcome.right]
    return Failure(_plainest([found, *again]), len(again), tries)


def _plainest(outcomes: Iterable[Outcome]) -> Outcome:
    """Of the runs that failed, the one with the fewest records up to what cannot be explained."""
    return min(outcomes, key=lambda one: len(one.verdict.history.records) if one.verdict.at is None else one.verdict.at)
