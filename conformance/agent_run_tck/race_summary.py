"""How often the races were tried, at the end of a run of the suite."""

from collections.abc import Iterable

import pytest
from _pytest.terminal import TerminalReporter

from agent_run_tck.races.check import TRIALS


def write_races(terminal: TerminalReporter, reports: Iterable[pytest.TestReport]) -> None:
    """One line for each implementation that raced."""
    by_implementation: dict[str, list[dict[str, object]]] = {}
    for report in reports:
        properties = dict(report.user_properties)
        if report.when == "call" and TRIALS in properties:
            by_implementation.setdefault(str(properties["implementation"]), []).append(properties)
    for implementation, races in by_implementation.items():
        terminal.write_line(f"races of {implementation}: {line(races)}")


def line(races: list[dict[str, object]]) -> str:
    trials = {str(each["scenario"]): int(str(each[TRIALS])) for each in races}
    rarest = min(trials, key=lambda name: trials[name])
    return (
        f"{sum(trials.values())} trials of {len(trials)} scenarios with --seed={races[0]['seed']}, "
        f"at least {trials[rarest]} of each ({rarest})"
    )
