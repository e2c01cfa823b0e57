"""Draws the state graph of Run at its smallest: no hook, one section, one tap, which never parks.

The graph is that of graph.json. What the run does on its own belongs to the operation before it; the outcomes and the
numbers of events are not told apart; and what changes nothing is listed instead of drawn.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tlc

GRAPHS = (
    tlc.HERE.parent / "conformance" / "agent_run_tck" / "model" / "graph.json",
    tlc.HERE.parent / "model" / "graph.json",
)
PICTURE = tlc.HERE / "run.svg"
SECONDS = 60

State = Mapping[str, Any]
Edge = tuple["Node", str, "Node"]
INTERNAL = re.compile("KeepCancellation|HookStart|KeepDrained|(Deliver|DeliverAndPark|Done)[0-9]+")
TEXTS = {
    "EmitTrue": "emit → true",
    "EmitFalse": "emit → false",
    "EmitTerminalRefused": "emit(terminal) → refused",
    "EmitTerminalFalse": "emit(terminal) → false",
    "FinishNonTerminalRefused": "finish(other event) → refused",
    "FinishNonTerminalFalse": "finish(other event) → false",
    "CancelAccepted": "cancel",
    "CancelIgnored": "cancel",
    "WorkBeginTrue": "work_begin → true",
    "WorkBeginFalse": "work_begin → false",
    "WorkDonePaired": "work_done",
    "WorkDoneStray": "work_done",
    "Tap1": "tap",
    "CloseTap1": "close",
}
COLOURS = {
    "emit": "#444444",
    "finish": "#b03030",
    "cancel": "#b06a00",
    "work": "#2f6f3e",
    "tap": "#2a5db0",
    "close": "#2a5db0",
}
TAPS = {"live": "tapped", "over": "told done", "closed": "tap closed"}


def text_of(label: str) -> str:
    """A label of the graph in words; the outcomes are one."""
    finish = re.fullmatch("Finish(?:Completed|Failed|Cancelled)(True|False)", label)
    return f"finish → {finish[1].lower()}" if finish else TEXTS[label]


@dataclass(frozen=True, order=True)
class Node:
    """What is drawn of a state."""

    closed: bool
    cancelled: bool
    sections: int
    tap: str
    drained: bool

    @property
    def name(self) -> str:
        words = (*("closed" if self.closed else "open", "cancelled" if self.cancelled else "wanted"), self.sections)
        return "_".join(map(str, (*words, self.tap.replace(" ", "_"))))


def _node(state: State) -> Node:
    tap = TAPS[state["tap"][0]["phase"]] if state["tap"] else "no tap"
    return Node(state["closed"], state["cancelled"], state["sections"], tap, state["drained"])


class Graph:
    """The part of the exported graph that is drawn."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        names = list(data["variables"])
        self._states = [
            {name: data["variables"][name][place] for name, place in zip(names, row, strict=True)}
            for row in data["states"]
        ]

    def edges(self) -> set[Edge]:
        """Each operation in words, from rest to rest."""
        found = set()
        start = next(place for place in self._data["initial"] if self._states[place]["hook"] == "unset")
        todo, seen = [start], {start}
        while todo:
            here = todo.pop()
            for label, after in self._steps(here):
                if label in TEXTS or label.startswith("Finish"):
                    rested = self._rest(after)
                    found.add((_node(self._states[here]), text_of(label), _node(self._states[rested])))
                    todo += [rested] if rested not in seen else []
                    seen.add(rested)
        return found

    def _steps(self, here: int) -> list[tuple[str, int]]:
        labels, moves = self._data["labels"], self._data["moves"][here]
        stays = self._data["loops"][self._data["stays"][here]]
        pairs = [*((label, here) for label in stays), *zip(moves[::2], moves[1::2], strict=True)]
        return [(labels[label], after) for label, after in pairs]

    def _rest(self, here: int) -> int:
        """Where the run's own steps end. Without a hook and with nobody parked they commute."""
        while own := [after for label, after in self._steps(here) if INTERNAL.fullmatch(label) and "Park" not in label]:
            here = own[0]
        return here


# --- the text that graphviz draws ---------------------------------------------------------------------
# The places are given, because no layout of graphviz shows that there are two times the same grid.

INCHES = {"column": 3.1, "row": 2.3, "aside": 1.15, "down": 0.95}
COLUMNS = {(False, 0): 0, (False, 1): 1, (True, 1): 2, (True, 0): 3}
TITLES = ("open", "open\\n1 section", "closed: result kept\\n1 section", "closed: result kept\\ndrained")
ROWS = {"no tap": 0, "tapped": 1, "told done": 1, "tap closed": 2}
HEAD = (
    "digraph run {",
    '  graph [layout=neato, splines=true, fontname="Helvetica", outputorder=edgesfirst];',
    '  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11, margin="0.1,0.05", height=0.3];',
    '  edge [fontname="Helvetica", fontsize=10, arrowsize=0.7];',
)


def dot_text() -> str:
    """The picture as graphviz reads it; SetupError when there is no graph."""
    path = next((path for path in GRAPHS if path.is_file()), None)
    if path is None:
        raise tlc.SetupError("graph.json is not there: write it with python tla/tools.py export")
    edges = Graph(json.loads(path.read_text(encoding="utf-8"))).edges()
    nodes = sorted({node for edge in edges for node in (edge[0], edge[2])})
    moves = sorted(edge for edge in edges if edge[0] != edge[2])
    lines = [*HEAD, *_titles(), *map(_box, nodes), *_arrows(moves), _legend(edges), "}"]
    return "\n".join(lines) + "\n"


def _place(column: float, row: float, aside: bool = False) -> str:
    x = column * INCHES["column"] + aside * INCHES["aside"]
    y = -row * INCHES["row"] - aside * INCHES["down"]
    return f'pos="{x:.2f},{y:.2f}!"'


def _titles() -> list[str]:
    return [
        f'  title_{at} [shape=plaintext, style="", fontsize=13, label="{title}", {_place(at + 0.2, -0.4)}];'
        for at, title in enumerate(TITLES)
    ]


def _box(node: Node) -> str:
    where = _place(COLUMNS[node.closed, node.sections], ROWS[node.tap], node.cancelled)
    fill = "#ffe3b3" if node.cancelled else "#ffffff"
    text = f"cancelled\\n{node.tap}" if node.cancelled else node.tap
    border = f"peripheries={2 if node.drained else 1}"
    return f'  {node.name} [label="{text}", fillcolor="{fill}", {border}, {where}];'


def _arrows(moves: Iterable[Edge]) -> list[str]:
    """An arrow for each move; where one operation undoes another, one arrow with two heads."""
    texts = {(before, after): text for before, text, after in moves}
    lines = []
    for (before, after), text in texts.items():
        back = texts.get((after, before))
        if back is None or before > after:
            colour = COLOURS[_operation(text).partition("_")[0]]
            label = f"{_operation(back)}, {_operation(text)}" if back else _operation(text)
            style = f'color="{colour}", fontcolor="{colour}"{", dir=both" if back else ""}'
            lines.append(f"  {before.name} -> {after.name} [label=<{_on_white(label)}>, {style}];")
    return lines


def _operation(text: str) -> str:
    """What is drawn is always the operation that takes effect, so its reply says nothing new."""
    return text.partition(" ")[0]


def _on_white(text: str) -> str:
    cell = f'<tr><td bgcolor="white">{text}</td></tr>'
    return f'<table border="0" cellborder="0" cellpadding="1" cellspacing="0">{cell}</table>'


def _legend(edges: Iterable[Edge]) -> str:
    """How to read it, and what changes nothing, which is found and not written down."""
    where: dict[str, set[str]] = {}
    for before, text, after in edges:
        if before == after:
            where.setdefault(text, set()).add("closed" if before.closed else "open")
    rows = [f"<b>{heading} </b>{text}" for heading, text in READING]
    for kind in ("open", "closed"):
        always = sorted(text for text, kinds in where.items() if kinds == {kind})
        rows.append(f"<b>Changes nothing that is drawn, while {kind}: </b>{', '.join(always)}")
    both = sorted(text for text, kinds in where.items() if len(kinds) == 2)
    rows.append(f"<b>The same, in some states of both: </b>{', '.join(both)}")
    table = "".join(f'<tr><td align="left">{row}</td></tr>' for row in rows)
    return (
        f'  legend [shape=plaintext, style="", fontsize=11, {_place(1.65, 3.25)}, '
        f'label=<<table border="0" cellspacing="1">{table}</table>>];'
    )


READING = (
    ("A box", "is a state at rest: all that was accepted is delivered, and drained is kept if it is due."),
    ("A double border", "says that drained is kept, the colour that the run is cancelled."),
    ("Not told apart", "are the three outcomes and the numbers of events."),
    ("Left out", "are the hook, a second tap, and callbacks that park."),
)


# --- the command --------------------------------------------------------------------------------------


def fingerprint(dot: str) -> str:
    """What the picture carries to say what it was drawn from."""
    return f"drawn from dot text with SHA-256 {hashlib.sha256(dot.encode()).hexdigest()}"


def add_to(commands: Any) -> None:
    """The command `draw` of tools.py."""
    one: argparse.ArgumentParser = commands.add_parser(
        "draw", help="draw the state graph of Run at its smallest, as SVG"
    )
    one.add_argument("--output", type=Path, default=PICTURE, metavar="FILE", help="default: run.svg in this folder")
    one.set_defaults(run=lambda options: draw(options.output))


def draw(output: Path) -> int:
    """Write the picture; without graphviz only its text, beside it. Takes a second or two."""
    dot = dot_text()
    program = shutil.which("dot")
    if program is None:
        text = output.with_suffix(".dot")
        text.write_text(dot, encoding="utf-8")
        raise tlc.SetupError(f"dot is not on the PATH: install graphviz; what it would draw is kept in {text}")
    done = subprocess.run([program, "-Tsvg"], input=dot, capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode:
        raise tlc.SetupError(f"dot failed: {' '.join(done.stderr.split())}")
    output.write_text(done.stdout.replace("<svg ", f"<!-- {fingerprint(dot)} -->\n<svg ", 1), encoding="utf-8")
    print(f"wrote {output.name}")
    return 0
