"""What the exploring of schedules has exhausted, at the end of a run of the suite."""

from collections.abc import Iterable, Mapping

import pytest
from _pytest.terminal import TerminalReporter

COVERED = "schedules"
"""The property of a report that says what was explored: implementation, scenario, and what was exhausted."""


def write_schedules(terminal: TerminalReporter, reports: Iterable[pytest.TestReport]) -> None:
    """One line for each implementation and scenario that was explored."""
    by_implementation: dict[str, list[Mapping[str, str]]] = {}
    for report in reports:
        explored = dict(report.user_properties).get(COVERED)
        if report.when == "call" and isinstance(explored, Mapping):
            by_implementation.setdefault(str(explored["implementation"]), []).append(explored)
    for implementation, scenarios in by_implementation.items():
        terminal.write_line(f"schedules of {implementation}:")
        for each in scenarios:
            terminal.write_line(f"  {each['scenario']}: {each['covered']}")
