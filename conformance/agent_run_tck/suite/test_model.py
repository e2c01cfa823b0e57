"""The model drives: programs of operations drawn at random, each reply and each view compared with what it allows."""

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from agent_run_tck.case import Case
from agent_run_tck.model.machine import machine_for


@pytest.mark.model
def test_programs_do_what_the_model_allows(case: Case, pytestconfig: pytest.Config) -> None:
    chosen = settings(
        max_examples=case.budgets.examples,
        stateful_step_count=25,
        deadline=None,
        derandomize=pytestconfig.getoption("hypothesis_seed", None) is None,
        print_blob=False,
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink),
    )
    run_state_machine_as_test(machine_for(case.implementation, case.budgets), settings=chosen)
