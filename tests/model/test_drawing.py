"""The picture of the graph: what it shows, and that it is not older than the graph."""

from __future__ import annotations

import json
import re
from pathlib import Path

import drawing
import pytest
import tlc
import tools
from agent_run_tck.model.contract import State
from agent_run_tck.model.fold import load_folded


def drawn(state: State) -> drawing.Node:
    tap = drawing.TAPS[state.tap[0].phase] if state.tap else "no tap"
    return drawing.Node(state.closed, state.cancelled, state.sections, tap, state.drained)


def test_the_picture_is_drawn_from_the_graph_as_it_is_now() -> None:
    assert drawing.fingerprint(drawing.dot_text()) in drawing.PICTURE.read_text(encoding="utf-8"), (
        "tla/run.svg is stale: draw it with python tla/tools.py draw"
    )


def test_another_graph_gives_another_fingerprint() -> None:
    dot = drawing.dot_text()
    assert drawing.fingerprint(dot) != drawing.fingerprint(dot.replace("work_done", "work_ended", 1))


def test_it_has_the_edges_of_the_folded_graph() -> None:
    fold = load_folded(False, 1)
    graph = drawing.Graph(json.loads(drawing.GRAPHS[0].read_text(encoding="utf-8")))
    expected = {
        (drawn(fold.nodes[number].state), drawing.text_of(outcome.label), drawn(fold.nodes[outcome.node].state))
        for number, outcomes in enumerate(fold.outcomes)
        if fold.nodes[number].state.hook == "unset"
        for each in outcomes.values()
        for outcome in each
    }
    assert graph.edges() == expected


def test_every_node_and_every_move_is_in_the_text_once() -> None:
    dot = drawing.dot_text()
    boxes = re.findall(r"^  (\w+) \[label=", dot, re.MULTILINE)
    arrows = re.findall(r"^  (\w+) -> (\w+) .*?( dir=both)?\];$", dot, re.MULTILINE)
    assert len(set(boxes)) == len(boxes) == 24
    assert sum(2 if both else 1 for _, _, both in arrows) == 48
    assert {name for before, after, _ in arrows for name in (before, after)} == set(boxes)


def test_without_graphviz_the_text_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert tools.main(["draw", "--output", str(tmp_path / "run.svg")]) == 2
    assert "install graphviz; what it would draw is kept in" in capsys.readouterr().err
    assert (tmp_path / "run.dot").read_text(encoding="utf-8") == drawing.dot_text()
    assert not (tmp_path / "run.svg").exists()


def fake_dot(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    program = folder / "dot"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_what_graphviz_draws_carries_the_fingerprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_dot(tmp_path, monkeypatch, "echo '<?xml?>'; echo '<svg width=\"1\"></svg>'")
    assert tools.main(["draw", "--output", str(tmp_path / "run.svg")]) == 0
    comment = f"<!-- {drawing.fingerprint(drawing.dot_text())} -->"
    assert (tmp_path / "run.svg").read_text(encoding="utf-8") == f'<?xml?>\n{comment}\n<svg width="1"></svg>\n'


def test_a_failure_of_graphviz_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_dot(tmp_path, monkeypatch, "echo 'no such layout' >&2; exit 1")
    assert tools.main(["draw", "--output", str(tmp_path / "run.svg")]) == 2
    assert capsys.readouterr().err == "tla/tools.py: dot failed: no such layout\n"


def test_without_a_graph_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "GRAPHS", (Path("nowhere.json"),))
    with pytest.raises(tlc.SetupError, match=r"graph\.json is not there: write it with"):
        drawing.dot_text()
