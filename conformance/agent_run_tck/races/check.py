"""A race as a check of the suite."""

from collections.abc import Callable

from agent_run_tck.case import Case
from agent_run_tck.races.loop import PATIENCE, Found, Loop
from agent_run_tck.races.scenario import SCENARIOS

TRIALS = "trials"
"""The property of a report that says how often a scenario was tried."""
BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}


def race(case: Case, seed: int, record: Callable[[str, object], None], name: str) -> None:
    """Try the scenario of this name for as long as the budget says, and record how often that was.

    Raises Found for the first violation, with the requirement that is violated, which may be another than the check's.
    """
    __tracebackhide__ = True
    loop = Loop(case.adapter, BY_NAME[name], seed, max(PATIENCE, case.budgets.wait), case.capabilities.in_process)
    record("scenario", name)
    record("seed", seed)
    try:
        tried = loop.run(case.budgets.race)
    except Found as found:
        case.history[:] = found.history
        record(TRIALS, found.number)
        raise
    record(TRIALS, tried.trials)
