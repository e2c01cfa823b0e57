"""The races again, with `--budget deep`: the scenarios in orders of their threads that a scheduler of our own chooses.

It stops them before each line that can meet other threads, so what it finds it can show again. What runs on an event
loop is explored likewise, in orders of the loop's ready callbacks.
"""

from collections.abc import Callable

import pytest

from agent_run_tck.protocol import Implementation
from agent_run_tck.races.scenario import SCENARIOS, Scenario
from agent_run_tck.schedules.check import Unsupported
from agent_run_tck.suite.marks import requirement

Explore = Callable[[Scenario], None]


@pytest.mark.deep(threads=True)
@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(scenario, id=scenario.name, marks=requirement(scenario.requirements[0], needs="threads"))
        for scenario in SCENARIOS
    ],
)
def test_the_orders_of_threads(implementation: Implementation, scenario: Scenario, explore: Explore) -> None:
    __tracebackhide__ = True
    explored(implementation, scenario, explore)


@pytest.mark.deep(threads=False)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_the_orders_of_callbacks(implementation: Implementation, scenario: Scenario, explore: Explore) -> None:
    __tracebackhide__ = True
    explored(implementation, scenario, explore)


def explored(implementation: Implementation, scenario: Scenario, explore: Explore) -> None:
    try:
        explore(scenario)
    except Unsupported as reason:
        pytest.skip(f"not applicable: the scheduler cannot keep control of {implementation.name}: {reason}")
