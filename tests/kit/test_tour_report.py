"""The end of a run of the suite says how far the tour of the model came, also when xdist spreads it."""

from pathlib import Path

from tests.kit.suite_run import ROOT, run_suite

TOUR = ("-k", "test_the_tour")
PORT = ROOT / "conformance" / "ports" / "asyncio_run.py"
TWIN = ROOT / "tests" / "model" / "one_wrong_reply.py"


def test_a_tour_that_came_to_its_end_has_taken_all_that_it_counts(tmp_path: Path) -> None:
    run = run_suite(str(PORT), tmp_path, *TOUR, "-n", "1")
    assert run.exit_status == 0, run.output
    title = next(at for at, line in enumerate(run.lines) if "tour of the model: asyncio_run" in line)
    taken, of, total = run.lines[title + 1].split()[:3]
    assert of == "of"
    assert taken == total
    assert int(total) > 1000
    assert any("where a callback blocks, which needs threads" in line for line in run.lines)
    assert any("which --budget=standard tours too" in line for line in run.lines)


def test_a_fault_fails_the_tour_with_a_short_program_and_the_report_says_how_far_it_came(tmp_path: Path) -> None:
    run = run_suite(str(TWIN), tmp_path, *TOUR)
    assert run.exit_status == 1, run.output
    assert "work_begin() replied True, but must reply False (WORK-1, WORK-3)" in run.output
    operations = [line for line in run.lines if line.lstrip("E ").startswith("program.")]
    assert 1 < len(operations) < 10
    assert any("when a fault ended it" in line for line in run.lines)
