"""Implementations that do what no check can foresee, and a small suite of one check for each thing that may happen."""

from pathlib import Path

from tests.kit.suite_run import ROOT

RIGHT = "import threading, sys, asyncio\nfrom agent_run import Run as RightRun, events\nclass Run(RightRun):\n    "
LOOP = f"""
import asyncio, sys
sys.path.insert(0, {str(ROOT / "conformance" / "ports")!r})
from asyncio_run import Event, Run as RightRun
from agent_run_tck.asyncio_adapter import AsyncioAdapter
class Run(RightRun):
    def cancel(self): asyncio.get_running_loop().call_soon(sys.exit, "from a callback")
tck_adapter = AsyncioAdapter(Run, Event.of, Event.plain, name="kills_its_loop")
"""
MODULES = {
    "hangs": RIGHT + "def cancel(self): threading.Event().wait()",
    "throws": RIGHT + "def cancel(self): raise LookupError('not at home')",
    "exits": RIGHT + "def cancel(self): sys.exit('enough')",
    "interrupts": RIGHT + "def cancel(self): raise KeyboardInterrupt",
    "prints": RIGHT + "def cancel(self): print('noise', file=sys.__stdout__); super().cancel()",
    "answers_1": RIGHT + "def emit(self, event): return int(super().emit(event))",
    "kills_its_loop": LOOP,
}
SAYS = {
    "hangs": "the check did not come back within 4 s; it stands in cancel",
    "throws": "cancel() raised LookupError: not at home",
    "exits": "cancel() raised SystemExit: enough",
    "interrupts": "cancel() raised KeyboardInterrupt",
    "prints": "",
    "answers_1": "emit(log) replied 1; it must reply true or false",
    "kills_its_loop": "the loop has ended: a callback let SystemExit('from a callback') out",
}
"""What the failure of each says."""

CHECKS = """
import pytest
from attrs import evolve
from agent_run_tck.budgets import BUDGETS, Budgets

BUDGETS["quick"] = evolve(BUDGETS["quick"], wait=1)
Budgets.scaled = lambda budgets, *measured: budgets  # so that a hang takes as long everywhere
requirement = pytest.mark.requirement

@requirement("CANCEL-1")
def test_cancel(case):
    run = case.run()
    run.cancel()
    assert run.cancellation.kept() is True

@requirement("CANCEL-1")
def test_another_of_the_same_requirement(case):
    assert not case.run().is_cancelled

@requirement("EMIT-1")
def test_emit(case):
    assert case.run().emit()

@requirement("FINISH-1")
def test_finish(case):
    assert case.run().finish()

@requirement("STREAM-9", needs="threads")
def test_all_of_it_needs_threads(case):
    assert case.run().finish()

@requirement("DRAIN-2", needs="threads")
def test_some_of_it_needs_threads(case):
    assert case.run().finish()

@requirement("DRAIN-2")
def test_some_of_it_does_not(case):
    assert case.run().finish()
"""


def write(folder: Path) -> list[str]:
    """The modules and `checks.py`; the options that have the checks ask all of them."""
    for name, text in MODULES.items():
        (folder / f"{name}.py").write_text(text)
    (folder / "checks.py").write_text(CHECKS)
    return ["checks.py", "--budget=quick", *(f"--impl={name}" for name in MODULES)]
