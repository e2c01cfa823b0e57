"""How far the tour of the model came, at the end of a run of the suite."""

from collections.abc import Iterable, Mapping
from textwrap import wrap
from typing import Any

import pytest
from _pytest.terminal import TerminalReporter

from agent_run_tck.model.coverage import ids_of
from agent_run_tck.model.graph import load

TOUR = "tour"
"""The property of a report that has the coverage as data."""
WIDTH = 110


def write_tours(terminal: TerminalReporter, reports: Iterable[pytest.TestReport]) -> None:
    for report in reports:
        tour = dict(report.user_properties).get(TOUR)
        if report.when == "call" and isinstance(tour, Mapping):
            terminal.section(f"tour of the model: {tour['implementation']}")
            for line in lines(tour):
                terminal.write_line(line)


def lines(tour: Mapping[str, Any]) -> list[str]:
    """The coverage of a tour, for a terminal."""
    return [
        _total(tour),
        *_apart(f"behind freedoms that {tour['implementation']} does not take", tour["freedoms"]),
        *_apart("not toured", {**tour["out_of_reach"], **tour["left_out"]}),
        *(_row(action, pair, ids_of(action)) for action, pair in tour["by_action"].items()),
        *wrap(_requirements(tour["by_requirement"]), WIDTH, subsequent_indent="  "),
    ]


def _total(tour: Mapping[str, Any]) -> str:
    total = tour["taken"] + tour["missing"]
    early = ", when a fault ended it" if tour["missing"] else ""
    bounds = load().bounds
    return (
        f"{tour['taken']} of {total} transitions in {tour['runs']} runs of {tour['steps']} operations{early}, within "
        f"the graph's bounds: events {bounds.events}, sections {bounds.sections}, taps {bounds.taps}"
    )


def _apart(what: str, numbers: Mapping[str, int]) -> list[str]:
    if not numbers:
        return []
    return [f"{sum(numbers.values())} more {what}:", *(f"{number:>7} {reason}" for reason, number in numbers.items())]


def _row(action: str, pair: tuple[int, int], ids: list[str]) -> str:
    return f"{action:<18} {pair[0]:>6} of {pair[1]:>6}  {' '.join(ids)}"


def _requirements(by_requirement: Mapping[str, tuple[int, int]]) -> str:
    parts = (f"{id} {taken}{f' of {owed}' if taken < owed else ''}" for id, (taken, owed) in by_requirement.items())
    return f"by requirement: {', '.join(parts)}"
