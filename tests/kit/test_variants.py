"""What is right but built otherwise passes the whole suite: no check demands more than is promised."""

from pathlib import Path

import pytest
from agent_run_tck.index import requirements

from tests.kit.suite_run import ROOT, run_suite

VARIANTS = sorted((ROOT / "tests" / "variants").glob("[a-z]*.py"))


def claimed(path: Path) -> int:
    """How many requirements are checked of it: those of consumers only where it is one."""
    is_consumer = "class Renderer" in path.read_text()
    return sum(each.checked and (is_consumer or each.profile != "consumer") for each in requirements().values())


@pytest.mark.parametrize("path", VARIANTS, ids=lambda path: path.stem)
def test_a_right_implementation_passes_however_it_is_built(path: Path, tmp_path: Path) -> None:
    run = run_suite(str(path), tmp_path)
    assert run.failures == {}, run.output
    assert run.exit_status == pytest.ExitCode.OK, run.output
    assert f"{claimed(path)} requirements checked: {claimed(path)} passed" in run.output
