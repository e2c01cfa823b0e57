"""Writes the shortest way to each surprising state of the mailbox algorithm in words that a person can follow."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import labelled_graph
import models
import tlc

FILE = tlc.HERE / "FINDINGS.md"
PROBES = "RunMailboxProbes.tla"
INNER = {
    "pc", "about", "noted", "taken", "task", "due", "members", "kept", "calls", "nextSeq", "mailbox",
    "lock", "open", "hold", "log", "replies", "hookCalls",
}  # fmt: skip
HEAD = """\
# What the mailbox algorithm can come to

Made by `python tla/tools.py findings` from the probes of `RunMailboxProbes.tla`; not edited by hand. Each state
below may surprise and can be reached; the decision says whether the contract allows it. The steps are the shortest
way there that TLC finds: who takes it, its name in `RunMailbox.tla`, and what it changes that others can notice.
In the models whose name ends in *plain*, the recommendations of decision 27 are not followed. The callers are
those of the scripts in `MCRunMailbox.tla`; u1 is the publisher.
"""
_COMMENT = re.compile(r"\(\* (Decision \d+: [^*]+?) \*\)\n(\w+Reach) ==")
_STEP = re.compile(r"^State \d+: <(\w+)[^\n]*>\n(.*?)(?=^State |\Z)", re.MULTILINE | re.DOTALL)
_VARIABLE = re.compile(r"^/\\ (\w+) = (.*?)(?=^/\\ |\Z)", re.MULTILINE | re.DOTALL)

State = dict[str, Any]


def sentences(text: str) -> dict[str, str]:
    """What the comment above each probe says."""
    return {name: " ".join(comment.split()) for comment, name in _COMMENT.findall(text)}


def behaviour(counterexample: str) -> list[tuple[str, State]]:
    """The actions of a behaviour that TLC printed, with the state after each; the first is the initial state."""
    shown = counterexample.partition("\n\n\n")[0] + "\n"
    return [
        (action, {name: json.loads(labelled_graph.value_text(value)) for name, value in _VARIABLE.findall(body)})
        for action, body in _STEP.findall(re.sub(r"\n(?:\d+ states generated|Finished|The ).*", "\n", shown))
    ]


def _who(before: State, after: State) -> str:
    """The thread whose step it is: the caller, publisher or continuation that went on."""
    for variable in ("pc", "replies", "task", "conts"):
        for name, value in after[variable].items():
            if value != before[variable][name]:
                return str(name)
    return "?"


def _changes(name: str, before: Any, after: Any) -> Iterator[str]:
    """The parts of a value that are new, each as one assignment."""
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in after:
            yield from _changes(f"{name}.{key}", before.get(key), after[key])
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for at, pair in enumerate(zip(before, after, strict=True)):
            yield from _changes(f"{name}[{at + 1}]", *pair)
    elif isinstance(before, list) and isinstance(after, list) and before == after[: len(before)]:
        yield from (f"{name} + {_text(item)}" for item in after[len(before) :])
    else:
        yield f"{name} = {_text(after)}"


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(item)}" for key, item in value.items())
    if isinstance(value, bool):
        return str(value).upper()
    return str(value) if isinstance(value, int | str) else f"[{', '.join(map(_text, value))}]"


def _news(before: State, after: State) -> Iterator[str]:
    """What was kept, accepted, made and answered."""
    yield from (f"{name} is kept" for name, count in after["kept"].items() if count and not before["kept"][name])
    yield from (f"seq {event['seq']} is accepted: {event['what']}" for event in after["log"][len(before["log"]) :])
    yield from (f"tap {number} is made" for number in range(len(before["tap"]) + 1, len(after["tap"]) + 1))
    for caller, replies in after["replies"].items():
        yield from (f"returns {reply}".replace(" none", "") for reply in replies[len(before["replies"][caller]) :])


def _line(before: State, action: str, after: State) -> str:
    changed = [*_news(before, after)]
    for name in sorted(after.keys() - INNER):
        known = after[name][: len(before[name])] if name == "tap" else after[name]
        changed += (change for change in _changes(name, before[name], known) if ".at = " not in change)
    return f"| {_who(before, after)} | {action} | {'; '.join(changed)} |"


def anchor(probe: str) -> str:
    """The name that a link to a finding ends in."""
    return probe.removesuffix("Reach").lower()


def section(run: models.Expected, sentence: str, report: tlc.Report) -> str:
    """One finding as text; SetupError when the probe was not violated."""
    if report.violated != run.name:
        raise tlc.SetupError(f"{run.name} is not reached ({report.result}): run python tla/tools.py check")
    steps = pairwise(behaviour(report.counterexample))
    lines = [_line(before, action, after) for (_, before), (action, after) in steps]
    table = "\n".join(["| who | step | what changes |", "|---|---|---|", *lines])
    model = re.findall(r"Script <- (\w+)Script", run.job.config)[0]
    plain = " plain" if "Recommended = FALSE" in run.job.config else ""
    return f'\n<a id="{anchor(run.name)}"></a>\n## {run.name}\n\n{sentence} (Script: {model}{plain}.)\n\n{table}\n'


def text(checker: tlc.Checker, say: models.Say) -> str:
    """The whole file, from TLC; blocks until every probe has been run."""
    said = sentences((tlc.HERE / PROBES).read_text(encoding="utf-8"))
    runs = [run for run in models.load() if run.violated in said]
    rows = models.check(runs, checker, say)
    return HEAD + "".join(section(row.expected, said[row.expected.name], row.report) for row in rows)


def probes_without_a_decision(path: Path = tlc.HERE / PROBES) -> Sequence[str]:
    """The probes whose comment names no decision."""
    module = path.read_text(encoding="utf-8")
    return sorted(set(re.findall(r"^(\w+Reach) ==", module, re.MULTILINE)) - sentences(module).keys())


def run(_: argparse.Namespace) -> int:
    """The command `findings`: write FINDINGS.md anew."""
    content = text(tlc.find_checker(), lambda line: print(line, file=sys.stderr, flush=True))
    FILE.write_text(content, encoding="utf-8")
    print(f"wrote {FILE.name}")
    return 0


def add_to(commands: Any) -> None:
    """The command `findings` of tools.py."""
    one: argparse.ArgumentParser = commands.add_parser(
        "findings", help="write the shortest way to each surprising state of the algorithm into FINDINGS.md"
    )
    one.set_defaults(run=run)
