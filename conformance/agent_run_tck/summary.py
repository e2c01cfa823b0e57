"""The verdicts by requirement, at the end of a run of the suite."""

from collections import Counter
from collections.abc import Iterable

import pytest
from _pytest.terminal import TerminalReporter

from agent_run_tck.index import contract_version, requirements

ORDER = ("failed", "inconclusive", "passed", "not applicable")


def verdicts(reports: Iterable[pytest.TestReport]) -> dict[str, dict[str, str]]:
    """Verdicts by implementation and requirement: the first of ORDER that a check has, so one that fails fails it."""
    found: dict[str, dict[str, set[str]]] = {}
    for report in reports:
        properties = dict(report.user_properties)
        if "requirement" in properties and (report.when == "call" or report.outcome != "passed"):
            of_implementation = found.setdefault(str(properties["implementation"]), {})
            of_implementation.setdefault(str(properties["requirement"]), set()).add(_verdict(report))
            if "check_of" in properties:  # it was broken off by what it has shown of another requirement
                of_implementation.setdefault(str(properties["check_of"]), set()).add("inconclusive")
    return {
        implementation: {id: next(v for v in ORDER if v in seen) for id, seen in by_requirement.items()}
        for implementation, by_requirement in found.items()
    }


def _verdict(report: pytest.TestReport) -> str:
    if report.failed and dict(report.user_properties).get("verdict") != "violated":
        return "inconclusive"
    return "not applicable" if report.skipped else report.outcome


def write_summary(terminal: TerminalReporter, reports: Iterable[pytest.TestReport]) -> None:
    for implementation, of_implementation in verdicts(reports).items():
        terminal.section(f"agent run contract {contract_version()}: {implementation}")
        for family in dict.fromkeys(each.family for each in requirements().values()):
            _write_family(terminal, family, of_implementation)
        terminal.write_line(_totals(of_implementation))


def _write_family(terminal: TerminalReporter, family: str, verdict_of: dict[str, str]) -> None:
    ids = [each.id for each in requirements().values() if each.family == family and each.id in verdict_of]
    parts = []
    for verdict in ORDER:
        numbers = [id.rpartition("-")[2] for id in ids if verdict_of[id] == verdict]
        if numbers:
            parts.append(f"{verdict} {' '.join(numbers)}")
    if parts:
        terminal.write_line(f"{family:<8} {'; '.join(parts)}", red=parts[0].startswith(("failed", "inconclusive")))


def _totals(verdict_of: dict[str, str]) -> str:
    counts = Counter(verdict_of.values())
    index = requirements()
    sure = Counter(index[id].sureness for id, verdict in verdict_of.items() if verdict == "passed")
    how = ", ".join(f"{number} {sureness}" for sureness, number in sorted(sure.items()))
    inconclusive = f", {counts['inconclusive']} inconclusive" if counts["inconclusive"] else ""
    return (
        f"{len(verdict_of) - counts['not applicable']} requirements checked: {counts['passed']} passed"
        f"{f' ({how})' if how else ''}, {counts['failed']} failed{inconclusive}; "
        f"{counts['not applicable']} not applicable"
    )
