"""Models that must fail: the mailbox algorithm with one fault, and exactly what each fault violates."""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import models
import tlc

_STATED = re.compile(r"\b(?:TypeOK|\w+Inv|\w+Prop)\b")
_NO_FAULT = 'Fault = "none"'
DEADLOCK = "deadlock"


@dataclass(frozen=True)
class Mutant:
    """A fault on a model: what it violates, what else it cannot help violating, and the size of what it leaves."""

    fault: str
    about: str
    on: models.Expected
    violates: str
    also: tuple[str, ...]
    distinct: int
    depth: int


def stated(config: str) -> list[str]:
    """The invariants and properties that a configuration checks."""
    return _STATED.findall(config)


def narrowed(config: str, fault: str, checks: Sequence[str]) -> str:
    """The configuration with the fault and with only these checks."""
    specification = re.findall(r"^SPECIFICATION .+$", config, re.MULTILINE)
    kinds = ("PROPERTY" if name.endswith("Prop") else "INVARIANT" for name in checks)
    lines = [f"{kind} {name}" for kind, name in zip(kinds, checks, strict=True)]
    constants = config[config.index("CONSTANTS") :].replace(_NO_FAULT, f'Fault = "{fault}"')
    return "\n".join([*specification, *lines, constants])


def _violation(mutant: Mutant, name: str) -> models.Expected:
    """Only this is checked, and must be violated."""
    checks = [] if name == DEADLOCK else [name]
    options = () if name == DEADLOCK else ("-deadlock",)
    config = narrowed(mutant.on.job.config, mutant.fault, checks)
    job = tlc.Job(f"{mutant.fault}-{name}", mutant.on.job.module, config, options)
    return models.Expected(job, "violated", violated=name)


def _rest(mutant: Mutant) -> models.Expected:
    """Everything else is checked, and must hold."""
    broken = {mutant.violates, *mutant.also}
    checks = [name for name in stated(mutant.on.job.config) if name not in broken]
    config = narrowed(mutant.on.job.config, mutant.fault, checks)
    options = ("-deadlock",) if DEADLOCK in broken else ()
    job = tlc.Job(f"{mutant.fault}-rest", mutant.on.job.module, config, options)
    return models.Expected(job, "holds", distinct=mutant.distinct, depth=mutant.depth)


def runs(mutant: Mutant) -> list[models.Expected]:
    """The runs of the checker that show what a fault violates, and that it violates nothing else."""
    return [*(_violation(mutant, name) for name in (mutant.violates, *mutant.also)), _rest(mutant)]


def _mutants(manifest: dict[str, Any], known: dict[str, models.Expected]) -> Iterator[Mutant]:
    for entry in manifest.get("mutant", []):
        yield Mutant(
            fault=entry["fault"],
            about=entry["about"],
            on=known[entry["on"]],
            violates=entry["violates"],
            also=tuple(entry.get("also", ())),
            distinct=int(entry["distinct"]),
            depth=int(entry["depth"]),
        )


def load(folder: Path = tlc.HERE) -> list[Mutant]:
    """The mutants that the manifest of a folder lists; SetupError when it cannot be read as one."""
    known = {run.name: run for run in models.load(folder)}
    manifest = tomllib.loads((folder / "manifest.toml").read_text(encoding="utf-8"))
    try:
        return list(_mutants(manifest, known))
    except (LookupError, TypeError, ValueError) as error:
        raise tlc.SetupError(f"a mutant in {folder / 'manifest.toml'} is not complete ({error!r})") from error


def choose(mutants: Sequence[Mutant], faults: Sequence[str]) -> list[Mutant]:
    """The mutants with these faults, or all of them."""
    known = [mutant.fault for mutant in mutants]
    for fault in faults:
        if fault not in known:
            raise tlc.SetupError(f"{fault} is no fault of the manifest: use one of {', '.join(known)}")
    return [mutant for mutant in mutants if not faults or mutant.fault in faults]


def check(
    mutants: Sequence[Mutant], checker: models.Runs, say: models.Say, keep: Path | None = None
) -> list[models.Row]:
    """Run all; blocks until the last has ended."""
    return models.check([run for mutant in mutants for run in runs(mutant)], checker, say, keep)


def matrix(mutants: Sequence[Mutant], rows: Sequence[models.Row]) -> str:
    """Per fault: what it must violate, what was found, and at what cost."""
    found = {row.expected.name: row for row in rows}
    lines = [("fault", "must violate", "found", "states", "seconds")]
    for mutant in mutants:
        for run in runs(mutant):
            report = found[run.name].report
            expected = run.violated or "nothing else"
            verdict = report.violated or report.result
            states = str(report.distinct) if report.distinct else "-"
            mark = " (differs)" if found[run.name].reasons else ""
            lines.append((mutant.fault, expected, verdict + mark, states, f"{report.seconds:.1f}"))
    return models.columns(lines)


def markdown(mutants: Sequence[Mutant]) -> str:
    """What the manifest says, for the readme."""
    head = "\n| fault | of the algorithm | on | violates | and with it |\n|---|---|---|---|---|\n"
    lines = (
        f"| {each.fault} | {each.about} | {each.on.name} | {each.violates} | {', '.join(each.also) or 'nothing'} |\n"
        for each in mutants
    )
    return head + "".join(lines)


def run(options: argparse.Namespace) -> int:
    """The command `mutants`: 1 when a fault does not violate exactly what the manifest says."""
    chosen = choose(load(options.folder), options.only)
    checker = tlc.find_checker(options.folder)
    rows = check(chosen, checker, lambda line: print(line, file=sys.stderr, flush=True), options.keep)
    print(matrix(chosen, rows))
    problems = [f"{row.expected.name}: {reason}" for row in rows for reason in row.reasons]
    print("\n".join(problems) if problems else f"{len(chosen)} faults, each violates what the manifest says")
    return 1 if problems else 0


def add_to(commands: Any) -> None:
    """The command `mutants` of tools.py."""
    one: argparse.ArgumentParser = commands.add_parser(
        "mutants", help="run the algorithm with each fault; exit status 1 when one violates anything else than it must"
    )
    one.add_argument("--only", action="append", default=[], metavar="FAULT", help="this fault; repeatable")
    one.add_argument("--keep", type=Path, metavar="DIRECTORY", help="keep TLC's files here, a folder per run")
    one.add_argument(
        "--folder", type=Path, default=tlc.HERE, help="where manifest.toml and the modules are; default: here"
    )
    one.set_defaults(run=run)
