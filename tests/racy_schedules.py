"""What exploring schedules finds: `python tests/racy_schedules.py [--seconds 60] [--write]`.

Each twin of `tests/broken/racy` is explored scenario by scenario until something is found, those first that were made
for what it breaks. What is right (the reference, the variants, the asyncio port) is explored in every
scenario, for a tenth of that time.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from agent_run_tck.loading import load
from agent_run_tck.races.scenario import SCENARIOS, Scenario
from agent_run_tck.schedules.copies import Copy
from agent_run_tck.schedules.explore import Exploration, Explorer, replayed
from agent_run_tck.schedules.racing import ScenarioProgram
from agent_run_tck.schedules.replay import TIMES
from agent_run_tck.schedules.shrink import Shrinking

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.kit.test_broken import RACY, declared

ROOT = Path(__file__).parents[1]
NOTES = ROOT / "tests" / "broken" / "racy" / "SCHEDULES.md"
VARIANTS = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "tests" / "variants").glob("[a-z]*.py"))]
RIGHT = ["agent_run", *VARIANTS, "conformance/ports/asyncio_run.py"]
SEED = 1
HEAD = """# What exploring schedules finds

Made by `python tests/racy_schedules.py --seconds {seconds:g} --write`; not edited by hand. Each of {scenarios}
scenarios is explored for {seconds:g} s at the most, on a machine that is busy with other things; `--budget deep` takes
longer.

| racy twin | said to be violated | found in | seconds | forced switches, shrunk to | shown again |
|---|---|---|---|---|---|
"""
RIGHT_HEAD = """
What is right, and must not be called wrong, for a tenth of that time in each scenario:

| implementation | schedules | found |
|---|---|---|
"""


def explorations(spec: str, seconds: float, first: Sequence[str]) -> Iterator[tuple[ScenarioProgram, Exploration]]:
    """Explores one scenario after the other, first those for these requirements."""
    threads = load(spec).capabilities.threads
    copy = Copy(spec)

    def rank(scenario: Scenario) -> list[bool]:
        return [id not in scenario.requirements for id in first]

    for scenario in sorted(SCENARIOS, key=rank):
        program = ScenarioProgram(copy, scenario, threads)
        yield program, Explorer(program, seconds, SEED).explore()


def row_of_twin(path: Path, seconds: float) -> str:
    breaks = declared(path)["BREAKS"]
    assert isinstance(breaks, tuple)
    took = 0.0
    for program, explored in explorations(str(path), seconds, breaks):
        took += explored.seconds
        if explored.finding is not None:
            shrinking = Shrinking(program, explored.finding, explored.decisions, seconds)
            shrinking.shrink()
            again = replayed(program, shrinking.decisions, TIMES)
            shown = sum(explored.finding.same_as(outcome.finding) for outcome in again)
            id = explored.finding.requirement
            switches = f"{len(explored.decisions)}, {len(shrinking.decisions)}"
            return (
                f"| {path.stem} | {id}{'' if id in breaks else ' (!)'} | «{program.scenario.name}», {explored.stage} "
                f"| {took:.1f} | {switches} | {shown} of {TIMES} |\n"
            )
    return f"| {path.stem} | nothing | | {took:.1f} | | |\n"


def row_of_right(spec: str, seconds: float) -> str:
    found, schedules = [], 0
    for program, explored in explorations(spec, seconds, ()):
        schedules += explored.schedules
        what = explored.unsupported or (explored.finding and explored.finding.requirement)
        found += [f"«{program.scenario.name}»: {what}"] if what else []
    return f"| {spec} | {schedules:,} | {'; '.join(found) or 'nothing'} |\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for each scenario, at the most")
    parser.add_argument("--write", action="store_true", help=f"write {NOTES.name} in the folder of the twins")
    given = parser.parse_args()
    lines = [HEAD.format(seconds=given.seconds, scenarios=len(SCENARIOS))]
    for path in RACY:
        lines.append(row_of_twin(path, given.seconds))
        print(lines[-1], end="", flush=True)
    lines.append(RIGHT_HEAD)
    for spec in RIGHT:
        lines.append(row_of_right(spec, given.seconds / 10))
        print(lines[-1], end="", flush=True)
    if given.write:
        NOTES.write_text("".join(lines))


if __name__ == "__main__":
    main()
