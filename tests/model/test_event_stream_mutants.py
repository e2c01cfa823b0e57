"""Every invariant and property of EventStream fails when the driver or the consumer is broken where it looks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import tlc

MODULES = ("EventStream.tla", "EventStreamChecks.tla", "EventStreamProbes.tla", "MCEventStream.tla")

ENDS_SCOPE = '{"attempt-started", "attempt-failed", "turn-discarded"} ->\n            '

# What has to fail, in which configuration, and the replacement in the modules that makes it fail.
MUTANTS = {
    "TypeOK": ("turns", ('turn\' = "between"', 'turn\' = "failed"')),
    "ShownInv-retry": ("turns", ('{"attempt-started", "attempt-failed", "turn-discarded"}', '{"turn-discarded"}')),
    "ShownInv-discard": ("turns", ('"attempt-failed", "turn-discarded"}', '"attempt-failed"}')),
    "ShownInv-own-text": (
        "turns",
        (
            'Append(@, record.text)]\n      [] record.kind \\in {"tool',
            'Append(@, shown.streaming)]\n      [] record.kind \\in {"tool',
        ),
    ),
    "QuietInv": (
        "turns",
        (
            "!.conversation = Append(@, record.text)",
            "!.conversation = IF shown.streaming = <<>> THEN @ ELSE Append(@, record.text)",
        ),
    ),
    "CallShownInv": ("calls", ('THEN "unknown"', 'THEN "failed"')),
    "EndShownInv": ("tokens", ("[] record.kind \\in Terminals", '[] record.kind \\in Terminals \\cup {"subagent"}')),
    "NothingOpenInv": (
        "turns",
        (
            '    /\\ turn = "none" /\\ \\A c \\in Calls : ~IsOpen(c)\n    /\\ Act([kind |-> kind])',
            "    /\\ Act([kind |-> kind])",
        ),
    ),
    "BackInv": (
        "turns",
        ('{"between", "answered"} \\/ (turn = "attempt" /\\ reason = "cancelled")\n', '{"answered"}\n'),
        ('AttemptFailed ==\n    /\\ turn = "attempt"', "AttemptFailed ==\n    /\\ FALSE"),
    ),
    "TokenInv": (
        "turns",
        (
            'LET text == 10 * attempt + Len(streamed) + 1 IN\n    /\\ turn = "attempt"',
            'LET text == 10 * attempt + Len(streamed) + 1 IN\n    /\\ turn \\in {"attempt", "answered"}',
        ),
    ),
    "TurnOnceInv": (
        "turns",
        ('round > 0 /\\ turn \\in {"none", "between"}', 'round > 0 /\\ turn \\in {"none", "between", "answered"}'),
    ),
    "CallOnceInv-end": ("calls", ("isError) ==\n    /\\ IsOpen(c)", 'isError) ==\n    /\\ call[c] # "none"')),
    "CallOnceInv-flag": ("calls", ('dispatched = (call[c] = "started")', "dispatched \\in BOOLEAN")),
    "OpOnceInv": (
        "background",
        ("    /\\ o \\in Started\n    /\\ Publish", "    /\\ o \\in Started \\cup waiting\n    /\\ Publish"),
    ),
    "ParkInv": ("background", ("inventory' = started\n", "inventory' = <<2, 1>>\n")),
    "CountProp": ("turns", ("round' = round + 1 /\\ attempt' = 0", "round' = round + 1 /\\ attempt' = attempt")),
    "ScopeProp": (
        "turns",
        (
            ENDS_SCOPE + "[shown EXCEPT !.streaming = <<>>]",
            ENDS_SCOPE + "[shown EXCEPT !.streaming = <<>>, !.conversation = Append(@, shown.streaming)]",
        ),
    ),
    "KeptProp": (
        "turns",
        (
            ENDS_SCOPE + "[shown EXCEPT !.streaming = <<>>]",
            ENDS_SCOPE + "[shown EXCEPT !.streaming = <<>>, !.conversation = <<>>]",
        ),
    ),
    "TextProp": (
        "turns",
        ("IF streamed = <<>> THEN Unstreamed ELSE streamed}", "Unstreamed, streamed}"),
        ("AssistantMessage(IF streamed = <<>> THEN Unstreamed ELSE streamed)", "AssistantMessage(Unstreamed)"),
    ),
    "ParkedProp": ("background", ("Act(record) == ~parked /\\ Publish(record)", "Act(record) == Publish(record)")),
    "ChildProp": (
        "children",
        ("ChildEnds(a) ==\n    /\\ child[a].run > 0 /\\ ~child[a].over", "ChildEnds(a) ==\n    /\\ child[a].run > 0"),
    ),
    "ChildAloneProp": (
        "tokens",
        (
            "      [] OTHER -> shown",
            '      [] record.kind = "subagent" -> [shown EXCEPT !.streaming = Append(@, 0)]\n      [] OTHER -> shown',
        ),
    ),
    "LastProp": ("turns", ('Publish(record) ==\n    /\\ ended = "no"\n', "Publish(record) ==\n")),
    "OnlyStreamProp": (
        "turns",
        (
            "TokenWithin                    == Len(streamed) < MaxTokens /\\ Token",
            "TokenWithin == /\\ round = 0 /\\ round' = 2\n    /\\ UNCHANGED <<attempt, turn, streamed, committed,"
            " calling, operating, parking, child, ended, view, quiet>>",
        ),
    ),
    "ScopesEndProp": ("live", ("    /\\ WF_vars(EndScope)\n", "    /\\ TRUE\n")),
    "CallsEndProp": ("live", ("    /\\ \\A c \\in Calls : SF_vars(EndCall(c)) ", "    /\\ TRUE ")),
    "ParksEndProp": ("live", ("    /\\ WF_vars(RunResumed)\n", "")),
}


def aim_of(case: str) -> str:
    return case.partition("-")[0]


def broken_modules(folder: Path, edits: tuple[tuple[str, str], ...]) -> tlc.Checker:
    texts = {name: (tlc.HERE / name).read_text(encoding="utf-8") for name in MODULES}
    for old, new in edits:
        assert any(old in text for text in texts.values()), f"the mutant no longer fits: {old!r} is not there"
        texts = {name: text.replace(old, new) for name, text in texts.items()}
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return tlc.find_checker(folder)


def narrowed(name: str, aim: str) -> str:
    config = (tlc.HERE / f"MCEventStream-{name}.cfg").read_text(encoding="utf-8")
    specification = "MCSpec" if name == "live" else "MCSafety"
    kind = "PROPERTY" if aim.endswith("Prop") else "INVARIANT"
    return f"SPECIFICATION {specification}\n{kind} {aim}\n{config[config.index('CONSTANTS') :]}"


def test_every_invariant_and_property_has_a_mutant() -> None:
    text = "".join((tlc.HERE / name).read_text(encoding="utf-8") for name in MODULES)
    stated = set(re.findall(r"^(TypeOK|\w+Inv|\w+Prop) ==", text, re.MULTILINE))
    assert stated == {aim_of(case) for case in MUTANTS}


@pytest.mark.parametrize("case", MUTANTS)
def test_the_checker_names_what_a_broken_model_violates(case: str, tmp_path: Path) -> None:
    name, *edits = MUTANTS[case]
    checker = broken_modules(tmp_path / "modules", tuple(edits))
    job = tlc.Job("broken", "MCEventStream", narrowed(name, aim_of(case)), ("-deadlock",))
    (tmp_path / "run").mkdir()
    report = checker.run(job, tmp_path / "run")
    assert (report.result, report.violated) == ("violated", aim_of(case)), report.last_lines
