"""The fixtures of checks that search: they try as long as the budget says, and note how often that was."""

from collections.abc import Callable
from functools import partial

import pytest

from agent_run_tck.budgets import BUDGETS
from agent_run_tck.case import Case
from agent_run_tck.protocol import Implementation
from agent_run_tck.races.check import race as try_race
from agent_run_tck.races.scenario import Scenario

Record = Callable[[str, object], None]


@pytest.fixture
def record(request: pytest.FixtureRequest) -> Record:
    """Notes a property for the report; `record_property` warns where that is of pytest's default kind."""
    return lambda name, value: request.node.user_properties.append((name, value))


@pytest.fixture
def race(case: Case, pytestconfig: pytest.Config, record: Record) -> Callable[[str], None]:
    """Tries the scenario of a name (agent_run_tck/races)."""
    return partial(try_race, case, pytestconfig.option.seed or 0, record)


@pytest.fixture
def explore(implementation: Implementation, pytestconfig: pytest.Config, record: Record) -> Callable[[Scenario], None]:
    """Explores the schedules of a scenario."""
    from agent_run_tck.schedules.check import Check  # few runs need it

    seconds, seed = BUDGETS[pytestconfig.getoption("budget")].schedules, pytestconfig.option.seed or 0

    def run(scenario: Scenario) -> None:
        __tracebackhide__ = True
        Check(implementation, scenario, seconds, seed).run(record)

    return run
