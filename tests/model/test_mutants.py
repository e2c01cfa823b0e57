"""Every invariant and property of Run fails when the model is broken where it looks."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

TLA = Path(__file__).resolve().parents[2] / "tla"
MODULES = ("Run.tla", "RunProbes.tla", "MCRun.tla")
CONSTANTS = """
CONSTANTS
    Taps = {1, 2}
    MaxEvents = 1
    MaxSections = 1
    Parking = {1}
    TwoTapEnds = {"completed"}
"""
MANIFEST = """
[[model]]
name = "broken"
module = "MCRun"
cfg = "broken.cfg"
about = "a mutant"
distinct = 0
depth = 0
"""

# What has to fail, and the replacement in the modules that makes it fail.
MUTANTS = {
    "TypeOK": ('hook\' = "running"', 'hook\' = "started"'),
    "ResultInv": ("result' = IF reply THEN outcome ELSE result", "result' = result"),
    "TerminalInv": ("log' = IF reply THEN Append(log, outcome) ELSE log", "log' = log"),
    "OutcomeInv": ("result' = IF reply THEN outcome ELSE", 'result\' = IF reply THEN "failed" ELSE'),
    "AnswersInv": ("Emit(reply) ==\n    /\\ reply = ~closed", "Emit(reply) ==\n    /\\ reply \\in BOOLEAN"),
    "CancelAnswersInv": ("accepted = (~closed /\\ ~claimed)", "accepted = ~claimed"),
    "CancelInv": ('IF accepted /\\ hook = "idle"', 'IF hook = "idle"'),
    "HookInv": ("    /\\ cancelled\n", ""),
    "DrainInv": ("    /\\ sections = 0\n    /\\ ~drained\n", "    /\\ ~drained\n"),
    "OrderInv": ("![t].seen = Append(@, tap[t].at)", "![t].seen = Append(@, 0)"),
    "FirstTapInv": ("IF tap = <<>> THEN {0}\n", "IF tap = <<>> THEN 0..Len(log)\n"),
    "DoneInv": ("    /\\ closed\n    /\\ tap[t].at = Len(log)\n", "    /\\ closed\n"),
    "ResultFirstInv": ("result' = IF reply THEN outcome ELSE result", "result' = result"),
    "ResultProp": ("outcome, reply) ==\n    /\\ reply = ~closed", "outcome, reply) ==\n    /\\ reply \\in BOOLEAN"),
    "LogProp": ("outcome, reply) ==\n    /\\ reply = ~closed", "outcome, reply) ==\n    /\\ reply \\in BOOLEAN"),
    "CancelProp": ("accepted = (~closed /\\ ~claimed)", "accepted = ~claimed"),
    "HookProp": ('IF accepted /\\ hook = "idle"', 'IF hook \\in {"idle", "returned"}'),
    "CancelStopsNothingProp": (
        "cancelled' = TRUE\n    /\\ UNCHANGED <<closed, result, log, sections, drained,",
        "cancelled' = TRUE\n    /\\ sections' = 0 /\\ UNCHANGED <<closed, result, log, drained,",
    ),
    "DrainProp": ("    /\\ ~drained\n    /\\ drained' = TRUE", "    /\\ drained' = ~drained"),
    "WorkProp": ("WorkBegin(reply) ==\n    /\\ reply = ~closed", "WorkBegin(reply) ==\n    /\\ reply \\in BOOLEAN"),
    "TapProp": ("ELSE Published)..Len(log)", "ELSE 0)..Len(log)"),
    "HandProp": ("parks) ==\n    /\\ IsLive(t)", "parks) ==\n    /\\ t \\in DOMAIN tap"),
    "OnlyRunProp": (
        "TRUE /\\ WorkBegin(FALSE)",
        "sections < 1 /\\ sections' = 1 /\\ UNCHANGED <<closed, result, log, drained, claimed, cancelled, hook, tap>>",
    ),
    "DrainsProp": ("    /\\ WF_vars(DrainInTime)\n", ""),
    "CancelsProp": ("    /\\ WF_vars(HookStart)\n", ""),
    "DeliversProp": ("    /\\ \\A t \\in Taps : WF_vars(Publish(t))\n", ""),
    "EndsProp": ("~AnyParked /\\ (Deliver(t) \\/ Done(t))", "~AnyParked /\\ Deliver(t)"),
}
# What an operation is there for, taken away: all of these violate EffectsInv.
IDLE = {
    "Emit": ('log\' = IF reply THEN Append(log, "event") ELSE log', "log' = log"),
    "Finish": ("log' = IF reply THEN Append(log, outcome) ELSE log", "log' = log"),
    "Cancel": ("claimed' = (claimed \\/ accepted)", "claimed' = claimed"),
    "HookReturn": ('hook\' = "returned"', "hook' = hook"),
    "WorkBegin": ("sections' = IF reply THEN sections + 1 ELSE sections", "sections' = sections"),
    "WorkDone": ("sections' = IF stray THEN 0 ELSE sections - 1", "sections' = sections"),
    "Tap": ("tap' = Append(tap, [", "tap' = IF TRUE THEN tap ELSE Append(tap, ["),
    "CloseTap": ('IF @ = "live" THEN "closed" ELSE @', "@"),
    "Unpark": ("![t].parked = FALSE", "![t].parked = @"),
}
CASES = {
    **{aim: (aim, edit) for aim, edit in MUTANTS.items()},
    **{f"EffectsInv-{name}": ("EffectsInv", edit) for name, edit in IDLE.items()},
}
LIVENESS = {"DrainsProp", "CancelsProp", "DeliversProp", "EndsProp"}


def broken_models(folder: Path, aim: str, edit: tuple[str, str]) -> None:
    old, new = edit
    texts = {name: (TLA / name).read_text(encoding="utf-8") for name in MODULES}
    assert any(old in text for text in texts.values()), f"the mutant for {aim} no longer fits: {old!r} is not there"
    for name, text in texts.items():
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")
    kind = "PROPERTY" if aim.endswith("Prop") else "INVARIANT"
    specification = "MCSpec" if aim in LIVENESS else "MCSafety"
    config = f"SPECIFICATION {specification}\n{kind} {aim}\n{CONSTANTS}"
    (folder / "broken.cfg").write_text(config, encoding="utf-8")
    (folder / "manifest.toml").write_text(MANIFEST, encoding="utf-8")


def test_every_invariant_and_property_has_a_mutant() -> None:
    text = "".join((TLA / name).read_text(encoding="utf-8") for name in MODULES)
    stated = set(re.findall(r"^(TypeOK|\w+Inv|\w+Prop) ==", text, re.MULTILINE))
    assert stated == {aim for aim, _ in CASES.values()}


@pytest.mark.parametrize("case", CASES)
def test_check_names_what_a_broken_model_violates(case: str, tmp_path: Path) -> None:
    aim, edit = CASES[case]
    broken_models(tmp_path, aim, edit)
    command = [sys.executable, str(TLA / "tools.py"), "check", "--folder", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"broken: {aim} is violated" in done.stdout
