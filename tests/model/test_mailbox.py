"""The model of the mailbox algorithm: its faults, its findings, and that no effect of an action is idle."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import findings
import models
import mutants
import pytest
import tlc
import tools

ALGORITHM = ("RunMailbox.tla", "RunMailboxState.tla")
DECISIONS = tlc.HERE.parent / "spec" / "decisions.md"

# An action without its effect: what is replaced by what, on which model, and the check that notices.
IDLE = {
    "EmitSection": ("mailbox' = Append(mailbox, event)", "mailbox' = mailbox", "live", "RefinesProp"),
    "FinishSection": ("result' = Outcome[Op(p)]", "result' = result", "live", "LastInv"),
    "KeepDrained": ("kept' = [kept EXCEPT !.drained = @ + 1]", "kept' = kept", "live", "DrainsInTimeProp"),
    "CancelSection": ("claimed' = TRUE", "claimed' = claimed", "live", "RefinesProp"),
    "KeepCancellation": ("kept' = [kept EXCEPT !.cancellation = @ + 1]", "kept' = kept", "live", "CancelSeenInv"),
    "CallHook": ('hook\' = "running"', "hook' = hook", "live", "RefinesProp"),
    "HookReturn": ('hook\' = "returned"', "hook' = hook", "live", "HookHeldInv"),
    "ReleaseSection": ("hold' = FALSE", "hold' = hold", "live", "DrainsInTimeProp"),
    "WorkBeginSection": ("open' = open + 1 ", "open' = open ", "owed", "DrainedInv"),
    "WorkDoneSection": ("open' = Less(open)\n", "open' = open\n", "owed", "DrainsInTimeProp"),
    "TapSection": (
        "members' = IF over THEN members ELSE Append(members, Len(tap) + 1)",
        "members' = members",
        "live",
        "PublishesProp",
    ),
    "CloseMark": ("![Closing[Op(p)]].closed = TRUE", "![Closing[Op(p)]].closed = @", "leaf", "FinishesProp"),
    "WakeSection": ("publishing' = TRUE", "publishing' = publishing", "live", "BatonInv"),
    "StartPublisher": ('].at = "take"]', "].at = @]", "live", "BatonInv"),
    "Take": ("mailbox' = Tail(mailbox)", "mailbox' = mailbox", "live", "HandedInv"),
    "HandDone": ("![t].dones = @ + 1", "![t].dones = @", "live", "FinishesProp"),
    "AnnounceSection": ('THEN "taken" ELSE conts[k]', "THEN conts[k] ELSE conts[k]", "owed", "ContinuationInv"),
}

HOLDS = """Model checking completed. No error has been found.
9 states generated, 7 distinct states found, 0 states left on queue.
The depth of the complete state graph search is 5.
"""


class Finds:
    """A checker that finds one check violated and all others holding."""

    def __init__(self, *violated: str) -> None:
        self.violated = violated

    def run(self, job: tlc.Job, folder: Path, progress: models.Say) -> tlc.Report:
        stated = mutants.stated(job.config)
        found = [name for name in self.violated if name in stated]
        return tlc.read_output(job, f"Error: Invariant {found[0]} is violated.\n" if found else HOLDS, 0.1)


def small() -> mutants.Mutant:
    config = (
        'SPECIFICATION Spec\nINVARIANTS\n    AInv BInv\n    CInv\nPROPERTIES DProp\nCONSTANTS\n    Fault = "none"\n'
    )
    on = models.Expected(tlc.Job("small", "MCRunMailbox", config), "holds")
    return mutants.Mutant("slip", "a mistake", on, "AInv", ("BInv",), distinct=7, depth=5)


def reasons(*violated: str) -> dict[str, tuple[str, ...]]:
    rows = mutants.check([small()], Finds(*violated), lambda line: None)
    return {row.expected.name: row.reasons for row in rows if row.reasons}


def test_a_fault_runs_once_per_violation_and_once_for_the_rest() -> None:
    configs = {run.name: run.job.config for run in mutants.runs(small())}
    constants = 'CONSTANTS\n    Fault = "slip"\n'
    assert configs == {
        "slip-AInv": f"SPECIFICATION Spec\nINVARIANT AInv\n{constants}",
        "slip-BInv": f"SPECIFICATION Spec\nINVARIANT BInv\n{constants}",
        "slip-rest": f"SPECIFICATION Spec\nINVARIANT CInv\nPROPERTY DProp\n{constants}",
    }


def test_a_fault_that_violates_exactly_what_is_said_is_no_difference() -> None:
    assert reasons("AInv", "BInv") == {}


def test_a_fault_that_survives_is_a_difference() -> None:
    assert list(reasons("BInv")) == ["slip-AInv"]


def test_a_fault_that_violates_more_or_less_than_is_said_is_a_difference() -> None:
    assert list(reasons("AInv", "BInv", "CInv")) == ["slip-rest"]
    assert list(reasons("AInv")) == ["slip-BInv"]


def test_the_matrix_marks_what_differs() -> None:
    rows = mutants.check([small()], Finds("BInv", "CInv"), lambda line: None)
    lines = [line.split()[:4] for line in mutants.matrix([small()], rows).splitlines()]
    assert lines[1:] == [
        ["slip", "AInv", "holds", "(differs)"],
        ["slip", "BInv", "BInv", "-"],
        ["slip", "nothing", "else", "CInv"],
    ]


def test_every_check_of_the_algorithm_has_a_fault_that_violates_it() -> None:
    module = (tlc.HERE / "RunMailboxChecks.tla").read_text(encoding="utf-8")
    stated = set(re.findall(r"^(TypeOK|\w+Inv|\w+Prop) ==", module, re.MULTILINE))
    assert stated == {mutant.violates for mutant in mutants.load()} - {mutants.DEADLOCK}


def test_every_fault_of_the_algorithm_is_in_the_manifest() -> None:
    text = "".join((tlc.HERE / name).read_text(encoding="utf-8") for name in ALGORITHM)
    named = re.findall(r"Fault (?:=|#|\\in|\\notin) (\{[^}]*\}|\"\w+\")", text)
    assert set(re.findall(r"\w+", " ".join(named))) == {mutant.fault for mutant in mutants.load()}


def test_a_fault_that_is_not_there_is_one_clear_line() -> None:
    with pytest.raises(tlc.SetupError, match=r"Nope is no fault of the manifest: use one of count_below_zero, .*"):
        mutants.choose(mutants.load(), ["Nope"])


def test_the_real_checker_finds_what_the_faults_violate(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("lock_kept", "late_emit_says_true", "finish_waits")
    assert tools.main(["mutants", *(word for name in names for word in ("--only", name))]) == 0
    assert capsys.readouterr().out.endswith("3 faults, each violates what the manifest says\n")


@pytest.mark.parametrize("action", IDLE)
def test_an_action_without_its_effect_is_noticed(action: str, tmp_path: Path) -> None:
    old, new, model, check = IDLE[action]
    for path in tlc.HERE.glob("*.tla"):
        shutil.copy(path, tmp_path)
    texts = {name: (tlc.HERE / name).read_text(encoding="utf-8") for name in ALGORITHM}
    assert sum(text.count(old) for text in texts.values()) == 1, f"{old!r} is not there once"
    for name, text in texts.items():
        (tmp_path / name).write_text(text.replace(old, new), encoding="utf-8")
    (run,) = models.choose(models.load(), [f"mailbox-{model}"])
    job = tlc.Job("idle", run.job.module, mutants.narrowed(run.job.config, "none", [check]), ("-deadlock",))
    with tlc.work_directory(tmp_path / "run") as folder:
        report = tlc.find_checker(tmp_path).run(job, folder)
    assert report.violated == check, report.last_lines


def test_every_probe_of_the_algorithm_names_its_decision() -> None:
    assert findings.probes_without_a_decision() == []


def test_the_findings_are_up_to_date() -> None:
    shipped = findings.FILE.read_text(encoding="utf-8")
    assert shipped == findings.text(tlc.find_checker(), lambda line: None), "run: python tla/tools.py findings"


def test_each_decision_links_to_the_findings_about_it() -> None:
    said = findings.sentences((tlc.HERE / findings.PROBES).read_text(encoding="utf-8"))
    text = DECISIONS.read_text(encoding="utf-8")
    for probe, sentence in said.items():
        number = re.findall(r"Decision (\d+)", sentence)[0]
        section = text.partition(f'<a id="decision-{number}"></a>')[2].partition("<a id=")[0]
        assert f"../tla/FINDINGS.md#{findings.anchor(probe)}" in section


def test_a_probe_that_is_not_reached_stops_the_writing() -> None:
    run = models.Expected(tlc.Job("XReach", "MCRunMailbox", ""), "violated", violated="XReach")
    with pytest.raises(tlc.SetupError, match="XReach is not reached"):
        findings.section(run, "Decision 1: x.", tlc.read_output(run.job, HOLDS, 0.1))
