"""The manifest of the models: what TLC must find, and whether it did."""

from __future__ import annotations

import os
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import tlc

Say = Callable[[str], None]

# How long a run of the checker may take; a budget contains those before it.
SECONDS = {"standard": 300.0, "deep": 7200.0}
BUDGETS = tuple(SECONDS)


class Runs(Protocol):
    """What is asked of a checker."""

    def run(self, job: tlc.Job, folder: Path, progress: Say) -> tlc.Report: ...


@dataclass(frozen=True)
class Expected:
    """One run of the checker and its expected result; a probe's counts are not compared."""

    job: tlc.Job
    result: str
    violated: str = ""
    about: str = ""
    distinct: int = 0
    depth: int = 0
    budget: str = "standard"

    @property
    def name(self) -> str:
        return self.job.name


@dataclass(frozen=True)
class Row:
    """One run, done: the reasons say what differs from the manifest."""

    expected: Expected
    report: tlc.Report
    reasons: tuple[str, ...]


def _model(entry: dict[str, str | int], folder: Path) -> Expected:
    config = (folder / str(entry["cfg"])).read_text(encoding="utf-8")
    budget = str(entry.get("budget", BUDGETS[0]))
    seconds = SECONDS[budget]
    job = tlc.Job(str(entry["name"]), str(entry["module"]), config, ("-coverage", "1"), seconds)
    sizes = (int(entry["distinct"]), int(entry["depth"]))
    return Expected(job, "holds", about=str(entry["about"]), distinct=sizes[0], depth=sizes[1], budget=budget)


def _probe(name: str, module: str, config: str) -> Expected:
    job = tlc.Job(name, module, f"{config}\nINVARIANT {name}\n")
    return Expected(job, "violated", violated=name)


def load(folder: Path = tlc.HERE) -> list[Expected]:
    """The runs that the manifest of a folder lists; SetupError when it cannot be read as one."""
    path = folder / "manifest.toml"
    try:
        return _runs(tomllib.loads(path.read_text(encoding="utf-8")), folder)
    except OSError as error:
        raise tlc.SetupError(f"{error.filename} is not there: name a folder with a manifest and its files") from error
    except (tomllib.TOMLDecodeError, LookupError, TypeError, ValueError) as error:
        raise tlc.SetupError(f"{path} is no manifest ({error!r}): compare it with {tlc.HERE / path.name}") from error


def _runs(manifest: dict[str, Any], folder: Path) -> list[Expected]:
    runs = [_model(entry, folder) for entry in manifest.get("model", [])]
    for group in manifest.get("probes", []):
        config = (folder / group["cfg"]).read_text(encoding="utf-8")
        runs += [_probe(name, group["module"], config) for name in group["names"]]
    return runs


def choose(runs: Sequence[Expected], names: Sequence[str], budget: str = BUDGETS[-1]) -> list[Expected]:
    """The runs of these names, or all of them that the budget has time for."""
    known = [run.name for run in runs]
    for name in names:
        if name not in known:
            raise tlc.SetupError(f"{name} is not in the manifest: use one of {', '.join(known)}")
    affordable = BUDGETS[: BUDGETS.index(budget) + 1]
    return [run for run in runs if run.name in names or (not names and run.budget in affordable)]


def _crash(expected: Expected, report: tlc.Report) -> str:
    return (
        f"TLC stopped without a verdict; its last lines:\n{report.last_lines}\n"
        f"to repeat it and keep the files: python tla/tools.py check --only {expected.name} --keep DIRECTORY"
    )


def differences(expected: Expected, report: tlc.Report) -> tuple[str, ...]:
    """What differs from the manifest, one sentence each."""
    if report.result == "crashed":
        return (_crash(expected, report),)
    if report.result != expected.result:
        if report.result == "violated":
            return (f"{report.violated} is violated\n{report.counterexample}",)
        return (f"{expected.violated} is not violated: no state that it denies can be reached",)
    if report.violated != expected.violated:
        return (f"{report.violated} is violated, not {expected.violated}",)
    if expected.result == "violated":
        return ()
    pairs = (("distinct states", report.distinct, expected.distinct), ("depth", report.depth, expected.depth))
    return tuple(f"{found} {what}, the manifest says {said}" for what, found, said in pairs if found != said)


def untaken(rows: Iterable[Row]) -> list[str]:
    """The actions that no model ever takes."""
    taken: Counter[str] = Counter()
    for row in rows:
        taken.update(row.report.actions)
    return sorted(name for name, times in taken.items() if not times)


def check(runs: Sequence[Expected], checker: Runs, say: Say, keep: Path | None = None) -> list[Row]:
    """Run all, two at a time where there are two cores; blocks until the last has ended."""

    def one(expected: Expected) -> Row:
        with tlc.work_directory(keep / expected.name if keep else None) as folder:
            report = checker.run(expected.job, folder, lambda line: say(f"{expected.name}: {line}"))
        reasons = differences(expected, report)
        say(f"{expected.name}: {report.seconds:.1f} s, {'differs' if reasons else 'as expected'}")
        return Row(expected, report, reasons)

    with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        return list(pool.map(one, runs))


def columns(lines: Sequence[Sequence[str]]) -> str:
    """Lines of cells with aligned columns."""
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)


def table(rows: Sequence[Row]) -> str:
    """What was found, for a terminal."""
    lines = [("model", "result", "distinct states", "depth", "seconds")]
    for row in rows:
        report = row.report
        verdict = f"{report.result}{' (differs)' if row.reasons else ''}"
        depth = str(report.depth) if report.depth else "-"
        lines.append((row.expected.name, verdict, str(report.distinct), depth, f"{report.seconds:.1f}"))
    return columns(lines)


def markdown(runs: Sequence[Expected]) -> str:
    """What the manifest says, for the readme."""
    head = "| model | aimed at | result | distinct states | depth |\n|---|---|---|---:|---:|\n"
    models = [run for run in runs if run.result == "holds"]
    probes = ", ".join(run.name for run in runs if run.result == "violated")
    lines = (f"| {run.name} | {_aim(run)} | {run.result} | {run.distinct} | {run.depth} |" for run in models)
    return head + "\n".join(lines) + f"\n\nProbes, each found violated: {probes}.\n"


def _aim(run: Expected) -> str:
    return run.about if run.budget == BUDGETS[0] else f"{run.about} (budget {run.budget})"
