"""The manifest, its comparison with what TLC finds, and the data made from the models."""

from __future__ import annotations

import json
import re
from pathlib import Path

import labelled_graph
import models
import pytest
import tlc
import tools
from agent_run_tck.model.graph import load

HOLDS = """Model checking completed. No error has been found.
<EmitTrue line 30, col 1 to line 30, col 8 of module MCRun>: 1:{taken}
<EmitFalse line 31, col 1 to line 31, col 9 of module MCRun>: 0:4
12 states generated, 4 distinct states found, 0 states left on queue.
The depth of the complete state graph search is 3.
"""
VIOLATED = """Error: Invariant {name} is violated.
Error: The behavior up to this point is:
State 1: <Initial predicate>
"""
MODEL = models.Expected(tlc.Job("small", "MCRun", ""), "holds", distinct=4, depth=3)
PROBE = models.Expected(tlc.Job("AReach", "MCRun", ""), "violated", violated="AReach")


class Printed:
    """A checker that finds what it is told to print."""

    def __init__(self, output: str) -> None:
        self.output = output

    def run(self, job: tlc.Job, folder: Path, progress: models.Say) -> tlc.Report:
        return tlc.read_output(job, self.output, 0.1)


def reasons(expected: models.Expected, output: str) -> tuple[str, ...]:
    said: list[str] = []
    (row,) = models.check([expected], Printed(output), said.append)
    assert said == [f"{expected.name}: 0.1 s, {'differs' if row.reasons else 'as expected'}"]
    return row.reasons


def test_what_the_manifest_says_is_no_difference() -> None:
    assert reasons(MODEL, HOLDS.format(taken=2)) == ()
    assert reasons(PROBE, VIOLATED.format(name="AReach")) == ()


def test_a_wrong_count_or_depth_is_a_difference() -> None:
    output = HOLDS.replace("4 distinct", "5 distinct").replace("search is 3", "search is 2")
    assert reasons(MODEL, output.format(taken=2)) == (
        "5 distinct states, the manifest says 4",
        "2 depth, the manifest says 3",
    )


def test_a_violated_invariant_is_named_with_the_behaviour() -> None:
    (reason,) = reasons(MODEL, VIOLATED.format(name="DrainInv"))
    assert reason == "DrainInv is violated\nState 1: <Initial predicate>"


@pytest.mark.parametrize("kind", ["Action property", "Property"])
def test_a_violated_property_is_named(kind: str) -> None:
    assert tlc.read_output(MODEL.job, f"Error: {kind} LogProp is violated.\n", 0).violated == "LogProp"


def test_a_liveness_violation_names_what_the_configuration_states() -> None:
    job = tlc.Job("live", "MCRun", "SPECIFICATION MCSpec\nPROPERTIES AProp\n  BProp\n")
    assert tlc.read_output(job, "Error: Temporal properties were violated.\n", 0).violated == "AProp or BProp"


def test_a_deadlock_is_a_violation() -> None:
    assert tlc.read_output(MODEL.job, "Error: Deadlock reached.\n", 0).violated == "deadlock"


def test_a_probe_that_stays_silent_is_a_difference() -> None:
    (reason,) = reasons(PROBE, HOLDS.format(taken=2))
    assert reason == "AReach is not violated: no state that it denies can be reached"


def test_a_probe_that_trips_over_something_else_is_a_difference() -> None:
    assert reasons(PROBE, VIOLATED.format(name="TypeOK")) == ("TypeOK is violated, not AReach",)


def test_a_crash_shows_the_last_lines_and_how_to_repeat_it() -> None:
    output = "\n".join(f"line {number}" for number in range(40)) + "\njava.lang.OutOfMemoryError: Java heap space\n"
    (reason,) = reasons(MODEL, output)
    assert "java.lang.OutOfMemoryError: Java heap space" in reason
    assert "line 39" in reason
    assert "line 20\n" not in reason
    assert "python tla/tools.py check --only small --keep DIRECTORY" in reason


def test_an_action_that_no_model_takes_is_reported() -> None:
    never = models.check([MODEL, MODEL], Printed(HOLDS.format(taken=0)), lambda line: None)
    assert models.untaken(never) == ["EmitTrue"]
    once = models.check([MODEL], Printed(HOLDS.format(taken=1)), lambda line: None)
    assert models.untaken([*never, *once]) == []


def test_the_table_marks_what_differs() -> None:
    rows = models.check([MODEL, PROBE], Printed(HOLDS.format(taken=2)), lambda line: None)
    head, model, probe = models.table(rows).splitlines()
    assert head.split() == ["model", "result", "distinct", "states", "depth", "seconds"]
    assert model.split() == ["small", "holds", "4", "3", "0.1"]
    assert probe.split()[:3] == ["AReach", "holds", "(differs)"]


def test_the_manifest_lists_every_probe_and_each_configuration_checks_what_is_stated() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in tlc.HERE.glob("*.tla"))
    runs = models.load()
    assert set(re.findall(r"^(\w+Reach) +==", text, re.MULTILINE)) == {run.violated for run in runs} - {""}
    stated = set(re.findall(r"^(TypeOK|\w+Inv|\w+Prop) ==", text, re.MULTILINE))
    checked = {word for run in runs for word in re.findall(r"\w+", run.job.config)}
    assert stated <= checked


def test_every_configuration_is_in_the_manifest() -> None:
    manifest = (tlc.HERE / "manifest.toml").read_text(encoding="utf-8")
    assert sorted(path.name for path in tlc.HERE.glob("*.cfg")) == sorted(set(re.findall(r'cfg = "(.+)"', manifest)))


def test_the_readme_has_the_table_of_the_manifest() -> None:
    assert tools.README.read_text(encoding="utf-8") == tools.readme_with_table(), "run: python tla/tools.py table"


def test_the_readme_names_every_file() -> None:
    text = tools.README.read_text(encoding="utf-8")
    names = {path.name for path in tlc.HERE.iterdir() if path.suffix in {".py", ".tla", ".toml"}}
    assert {name for name in names if f"`{name}`" not in text} == set()


def test_a_model_that_is_not_there_is_one_clear_line() -> None:
    with pytest.raises(tlc.SetupError, match=r"Nope is not in the manifest: use one of events, taps, .*AllOverReach"):
        models.choose(models.load(), ["Nope"])


@pytest.mark.parametrize("text", ["[[model]]\nname =", "[[model]]\nname = 'x'", "model = 1", "[[probes]]\ncfg = 1"])
def test_a_manifest_that_is_none_is_one_clear_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.toml").write_text(text, encoding="utf-8")
    with pytest.raises(tlc.SetupError, match=r"manifest\.toml is no manifest \(.*\): compare it with"):
        models.load(tmp_path)


def test_a_folder_without_a_manifest_is_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tools.main(["check", "--folder", str(tmp_path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("manifest.toml is not there: name a folder with a manifest and its files")


LONG = r"<< [ at |-> 0,\n     seen |-> <<1, 2>> ],\n  [at |-> -1, seen |-> {\"b\", \"a\"}] >>"
DUMP = r"""strict digraph DiskGraph {
-5 [label="/\\ log = <<>>\n/\\ hook = \"idle\"\n/\\ n = 0",style = filled]
-5 -> -5 [label="Stay",color="black"];
-5 -> 7 [label="Go",color="black"];
7 [label="/\\ log = LONG\n/\\ hook = \"due\"\n/\\ n = 0"];
""".replace("LONG", LONG)


def test_a_dump_becomes_small_numbers() -> None:
    graph = labelled_graph.compact(DUMP.splitlines())
    assert graph == {
        "labels": ["Go", "Stay"],
        "variables": {
            "hook": ["due", "idle"],
            "log": [[], [{"at": 0, "seen": [1, 2]}, {"at": -1, "seen": ["a", "b"]}]],
            "n": [0],
        },
        "initial": [1],
        "loops": [(), (1,)],
        "states": [(0, 1, 0), (1, 0, 0)],
        "stays": [0, 1],
        "moves": [[], [0, 0]],
    }


def test_the_order_and_the_names_of_the_nodes_do_not_matter() -> None:
    other = [line.replace("-5 ", "99 ").replace("> -5", "> 99") for line in reversed(DUMP.splitlines())]
    assert labelled_graph.compact(other) == labelled_graph.compact(DUMP.splitlines())


def test_the_constants_of_a_configuration_are_read() -> None:
    config = 'SPECIFICATION S\nCONSTANTS\n    Taps = {2, 1}\n    MaxEvents = 3\n    Ends = {"b", "a"}\n'
    assert labelled_graph.constants(config) == {"Taps": [1, 2], "MaxEvents": 3, "Ends": ["a", "b"]}


def test_the_data_has_one_entry_per_line() -> None:
    text = labelled_graph.as_text({"a": [1, 2], "b": {"c": None}})
    assert text == '{"a":[1,2],\n"b":{"c":null}}\n'
    assert json.loads(text) == {"a": [1, 2], "b": {"c": None}}


def test_export_would_write_the_graph_that_is_shipped() -> None:
    shipped = tools.GRAPH.read_text(encoding="utf-8")
    assert shipped == tools.exported_graph(tlc.find_checker()), "run: python tla/tools.py export"


def test_the_real_checker_finds_what_the_manifest_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ("work", "DrainedHookOutReach")
    options = [word for name in names for word in ("--only", name)]
    assert tools.main(["check", *options, "--keep", str(tmp_path)]) == 0
    assert capsys.readouterr().out.endswith("2 runs, all as the manifest says\n")
    assert (tmp_path / "work" / "Run.tla").is_file()


def test_the_checker_reports_every_action_by_the_label_that_the_graph_has(tmp_path: Path) -> None:
    (run,) = models.choose(models.load(), ["export"])
    report = tlc.find_checker().run(run.job, tmp_path)
    taken = {name for name, times in report.actions.items() if times}
    assert taken - {"Init"} == {label for _, label, _ in load().edges}
