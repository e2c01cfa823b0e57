"""Races inside a port: it performs lists of operations at once and says when each was called and had returned."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from attrs import frozen

from agent_run_tck.case import Case
from agent_run_tck.driven import DrivenRun
from agent_run_tck.races.check import TRIALS
from agent_run_tck.steps import Operation
from agent_run_tck.wire.connection import error_of
from agent_run_tck.wire.scripts import Followed

LEAST_TRIALS = 10


@frozen
class Ran:
    """An operation that the port has performed: `start` and `end` by its own clock, in seconds."""

    step: Operation
    reply: Any
    start: float
    end: float

    def before(self, other: "Ran") -> bool:
        """Whether this one had returned when the other one was called."""
        return self.end < other.start

    def __str__(self) -> str:
        return f"{self.step.name}({', '.join(map(str, self.step.args))}) -> {self.reply}"


def raced(case: Case, run: DrivenRun, *scripts: Sequence[Operation]) -> list[list[Ran]]:
    """Have the port perform the scripts on the run, each on a thread of its own. Blocks until all have ended."""
    assert case.session is not None, "only a port performs scripts in parallel"
    callback = case.callback(name="parallel")
    callback.run = run
    following = Followed(case.session, callback)
    data = [[following.operation(step) for step in script] for script in scripts]
    replies = case.session.parallel([[fields for fields, _ in script] for script in data])
    return [
        [_ran(step, decode, reply) for step, (_, decode), reply in zip(script, read, told, strict=True)]
        for script, read, told in zip(scripts, data, replies, strict=True)
    ]


def _ran(step: Operation, decode: Callable[[Any], Any], reply: dict[str, Any]) -> Ran:
    error = error_of(step.name, reply)
    return Ran(step, decode(reply["ok"]) if error is None else error, reply["start"], reply["end"])


def tried(case: Case, record: Callable[[str, object], None], scenario: str, trial: Callable[[Case], None]) -> None:
    """Try a race again and again, for as long as the budget says, and record how often that was."""
    end = time.monotonic() + case.budgets.race
    number = 0
    while number < LEAST_TRIALS or time.monotonic() < end:
        number += 1
        case.history.clear()
        trial(case)
        for run in list(case.runs.values()):
            case.forget(run)
    record("scenario", scenario)
    record("seed", 0)
    record(TRIALS, number)
