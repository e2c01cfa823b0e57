"""The model drives: each reply and each view is compared with what it allows.

The tour takes every transition of the model at small bounds once; programs drawn at random go beyond the bounds, and
some run on several threads.
"""

from pathlib import Path

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from agent_run_tck.case import Case
from agent_run_tck.histories.checking import check
from agent_run_tck.histories.running import takes_calls_from_threads
from agent_run_tck.model.coverage import coverage, out_of_reach
from agent_run_tck.model.fold import load_folded
from agent_run_tck.model.machine import machine_for
from agent_run_tck.model.program import Program
from agent_run_tck.model.tour import Tour
from agent_run_tck.searching import Record
from agent_run_tck.tour_summary import TOUR


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


@pytest.mark.model
def test_the_tour_covers_every_transition(case: Case, record: Record) -> None:
    reach = (case.capabilities.threads, case.budgets.tour_taps)
    tour = Tour(load_folded(*reach), lambda hook: Program(case.implementation, hook, case.budgets))
    try:
        tour.drive()
    finally:
        covered = {**coverage(tour).as_data(), "out_of_reach": out_of_reach(*reach)}
        record(TOUR, {"implementation": case.implementation.name, **covered})
    assert not tour.missing(), f"the tour could come to these and did not try them: {tour.missing()[:10]}"


@pytest.mark.model
def test_what_overlaps_has_an_order_that_the_model_allows(
    case: Case, pytestconfig: pytest.Config, tmp_path: Path, record: Record
) -> None:
    if not takes_calls_from_threads(case.implementation):
        pytest.skip(f"not applicable: {case.implementation.name} takes no calls from several threads")
    check(case.implementation, case.budgets, pytestconfig.option.seed or 0, tmp_path, record)
