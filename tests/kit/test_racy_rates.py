"""The table of rates is about the twins that there are, and has what is asked of the races."""

import re
import subprocess
import sys

from tests.kit.suite_run import ROOT
from tests.kit.test_broken import RACY, declared
from tests.racy_rates import README

ROWS = re.findall(r"^\| (\w+) \| (\d+) of (\d+) \| [\d.]* \| (.*) \|$", README.read_text(), re.MULTILINE)
MANY = 18


def test_every_twin_has_a_row() -> None:
    assert [name for name, *_ in ROWS] == [path.stem for path in RACY]
    assert len(RACY) >= 20


def test_nearly_all_twins_are_caught_in_nearly_every_try() -> None:
    often = [name for name, caught, tries, _ in ROWS if int(caught) >= 0.9 * int(tries)]
    assert len(often) >= MANY, ROWS
    assert all(int(caught) for _, caught, *_ in ROWS), ROWS


def test_each_is_said_to_violate_what_it_breaks() -> None:
    for path, (_, _, _, said) in zip(RACY, ROWS, strict=True):
        breaks = declared(path)["BREAKS"]
        assert isinstance(breaks, tuple)
        assert {*re.findall(r"[A-Z]+-\d+", said)} <= {*breaks}, said


def test_the_command_prints_a_row() -> None:
    command = [sys.executable, "tests/racy_rates.py", "emit_2", "--tries=2", "--budget=quick", "--seed=1"]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert finished.returncode == 0, finished.stderr
    assert re.fullmatch(r"\| emit_2_takes_the_seq_outside_the_lock \| [12] of 2 \| [\d.]+ \| .*\|\n", finished.stdout)
