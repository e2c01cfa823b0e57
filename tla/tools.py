"""Checks the models and exports the state graph that the conformance kit is driven by."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import labelled_graph
import tlc

CONTRACT_VERSION = "1.0"
EXPORT_CONFIG = "MCRun-export.cfg"
GRAPH = tlc.HERE.parent / "conformance" / "agent_run_tck" / "model" / "graph.json"


def exported_graph(checker: tlc.Checker, config: str) -> str:
    """The text of graph.json for a configuration of MCRun."""
    options = ("-fp", "0", "-dump", "dot,actionlabels", "graph.dot")
    with tempfile.TemporaryDirectory() as name:
        job = tlc.Job("export", "MCRun", config, options)
        report = checker.run(job, Path(name))
        if report.result != "holds":
            raise tlc.SetupError(f"TLC wrote no graph ({report.violated or report.result}):\n{report.last_lines}")
        with open(Path(name) / "graph.dot", encoding="utf-8") as dump:
            graph = labelled_graph.compact(dump)
    head = {"contract": CONTRACT_VERSION, "bounds": labelled_graph.constants(config)}
    return labelled_graph.as_text({**head, **graph})


def export() -> int:
    """Write graph.json anew."""
    config = (tlc.HERE / EXPORT_CONFIG).read_text(encoding="utf-8")
    GRAPH.write_text(exported_graph(tlc.find_checker(), config), encoding="utf-8")
    print(f"wrote {GRAPH.name}, {GRAPH.stat().st_size // 1024} KiB")
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tla/tools.py", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("export", help="write the labelled state graph of Run into the conformance kit")
    parser.parse_args(arguments)
    return export()


if __name__ == "__main__":
    sys.exit(main())
