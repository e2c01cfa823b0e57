"""What is written about speed is what was measured."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from bench import measure, report

CONTENDERS = {
    "stamping alone",
    "run, one emitter",
    "run, four emitters",
    "queue.SimpleQueue",
    "janus",
    "reactivex ReplaySubject",
}
WRITTEN = {report.NOTES: report.notes, report.FRONT: report.quote}


def made_part(text: str) -> str:
    return text.partition(report.BEGIN)[2].partition(report.END)[0].strip()


@pytest.mark.parametrize(("path", "made"), [pytest.param(*each, id=each[0].parent.name) for each in WRITTEN.items()])
def test_a_text_says_what_was_measured(path: Path, made: Callable[[report.Results], str]) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(report.BEGIN) == text.count(report.END) == 1
    assert made_part(text) == made(report.load()), f"{path} is not what results.json says; run `make bench`"


@pytest.mark.parametrize("made", WRITTEN.values())
def test_other_results_make_another_text(made: Callable[[report.Results], str]) -> None:
    results = report.load()
    before = made(results)
    report.throughput(results, "run, four emitters")["to_one"] *= 0.5
    assert made(results) != before


def test_the_front_page_has_no_figure_but_ratios() -> None:
    quoted = made_part(report.FRONT.read_text(encoding="utf-8"))
    assert re.findall(r"\d[\d.,]*\d", quoted) != []
    assert not re.search(r"\d\s?(ns|µs|ms|s|KiB|bytes|events)\b", quoted)


def test_every_contender_was_measured_and_drawn() -> None:
    results = report.load()
    chart = report.CHART.read_text(encoding="utf-8")
    assert {row["name"] for row in results["throughput"]} == CONTENDERS
    for row in results["throughput"]:
        assert row["name"] in chart
        assert f"{row['to_one']:.2f}" in chart, "the chart is not of these results; run `make bench`"
    assert "<script" not in chart


def test_a_goal_that_is_not_met_is_said_to_be() -> None:
    results = report.load()
    report.throughput(results, "stamping alone")["to_one"] = 10
    results["idle"]["bytes"] = 5000
    missed = {goal.what for goal in report.goals(results) if not goal.met}
    assert {"one emitter, of the stamping loop", "bytes of an idle run"} <= missed
    assert report.notes(results).count("**not met**") == len(missed)


def test_every_goal_that_is_missed_has_its_reason() -> None:
    text = report.NOTES.read_text(encoding="utf-8").partition(report.END)[2]
    for goal in report.goals(report.load()):
        assert goal.met or f"**{goal.what}**" in text, f"say in {report.NOTES} why this goal is missed: {goal.what}"


def test_contenders_take_turns() -> None:
    order: list[str] = []
    contenders = {name: ((lambda _, name=name: order.append(name)), 10) for name in "ab"}
    costs = measure.interleaved(contenders, 3)
    assert order == ["a", "b"] * 3
    assert {name: len(each) for name, each in costs.items()} == {"a": 3, "b": 3}


def test_a_ratio_is_taken_within_its_round() -> None:
    fast = [measure.Cost(1, 9), measure.Cost(10, 9), measure.Cost(100, 9)]
    slow = [measure.Cost(4, 9), measure.Cost(40, 9), measure.Cost(100, 9)]
    assert measure.faster(fast, slow) == 4
    assert measure.middle(fast) == measure.Cost(10, 9)


def test_what_is_not_generated_stays() -> None:
    text = f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n"
    assert report.between(text, "new") == f"before\n{report.BEGIN}\nnew\n{report.END}\nafter\n"
