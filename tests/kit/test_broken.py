"""Every deliberately wrong implementation is caught by the checks of what it breaks, for that reason, and by no others.

Each module of `tests/broken` breaks the requirements in its BREAKS; the failure has to say the words in SAYS.
"""

import ast
from pathlib import Path

import pytest
from agent_run_tck.index import requirements

from tests.kit.suite_run import ROOT, run_suite

BROKEN = sorted((ROOT / "tests" / "broken").glob("[a-z]*.py"))
RACY = sorted((ROOT / "tests" / "broken" / "racy").glob("[a-z]*.py"))

EVENTS = [path for path in BROKEN if path.stem.startswith("event_")]
BATCHES = 5


def declared(path: Path) -> dict[str, object]:
    tree = ast.parse(path.read_text())
    constants = [node for node in tree.body if isinstance(node, ast.Assign)]
    return {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in constants
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id in ("BREAKS", "SAYS")
    }


@pytest.mark.parametrize("path", [path for path in BROKEN if path not in EVENTS], ids=lambda path: path.stem)
def test_a_broken_implementation_is_caught_for_what_it_breaks(path: Path, tmp_path: Path) -> None:
    expected = declared(path)
    breaks, says = expected["BREAKS"], expected["SAYS"]
    assert isinstance(breaks, tuple)
    # What the model finds is not one requirement's, long runs take as long as all the rest, and races are for RACY.
    unneeded = () if "STREAM-17" in breaks else ("-k", "not test_long_runs")
    plain = ("-p", "tests.kit.plain_budgets")
    here = {"PYTHONPATH": str(ROOT)}
    chosen = (f"--profile={requirements()[breaks[0]].profile}", "-m", "not model and not stochastic")
    run = run_suite(str(path), tmp_path, *chosen, *unneeded, *plain, environment=here)
    assert set(run.failures) == set(breaks), run.output
    assert str(says) in run.failures[breaks[0]], run.failures[breaks[0]]


@pytest.mark.parametrize("batch", range(BATCHES))
def test_broken_events_are_caught_for_what_they_break(batch: int, tmp_path: Path) -> None:
    """Several in one run, because to start takes longer than to judge the events of one."""
    first, *others = EVENTS[batch::BATCHES]
    chosen = ("--profile=events", *(f"--impl={path}" for path in others))
    run = run_suite(str(first), tmp_path, *chosen, environment={"PYTHONPATH": str(ROOT)})
    for path in (first, *others):
        breaks, says, failures = declared(path)["BREAKS"], declared(path)["SAYS"], run.failures_of[path.stem]
        assert isinstance(breaks, tuple)
        assert set(failures) == set(breaks), f"{path.stem}: {failures}"
        assert str(says) in failures[breaks[0]], f"{path.stem}: {failures}"
