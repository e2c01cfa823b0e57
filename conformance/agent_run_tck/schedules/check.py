"""Exploring a scenario as a check of the suite."""

import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from attrs import frozen

from agent_run_tck.protocol import Implementation
from agent_run_tck.races.scenario import Scenario
from agent_run_tck.races.trial import Violated
from agent_run_tck.schedules import schedule_file
from agent_run_tck.schedules.copies import Copy
from agent_run_tck.schedules.explore import Exploration, Explorer
from agent_run_tck.schedules.racing import ScenarioProgram
from agent_run_tck.schedules.replay import TIMES, replay
from agent_run_tck.schedules.schedule_file import Schedule
from agent_run_tck.schedules.scheduler import USUAL, Limits
from agent_run_tck.schedules.shrink import Shrinking
from agent_run_tck.schedules.summary import COVERED

SHARE_OF_SHRINKING = 0.5


class Shown(Violated):
    """A schedule shows that a requirement is violated. The text has the schedule, and the file that replays it."""


class Unsupported(Exception):
    """The scheduler cannot keep control of this implementation in this scenario; the text says why.

    One reason is that what it found it cannot show again, so something else than the order of threads decides.
    """


@frozen
class Check:
    """Explores one scenario with one implementation for so many seconds."""

    implementation: Implementation
    scenario: Scenario
    seconds: float
    seed: int
    limits: Limits = USUAL

    def run(self, record: Callable[[str, object], None]) -> None:
        """Raises Shown for the first violation, shrunk and replayed, and Unsupported. Blocks as long as it may take."""
        __tracebackhide__ = True
        copy = Copy(self.implementation.spec)
        program = ScenarioProgram(copy, self.scenario, self.implementation.capabilities.threads)
        explored = Explorer(program, self.seconds, self.seed, self.limits).explore()
        if explored.unsupported:
            raise Unsupported(explored.unsupported)
        about = {"implementation": self.implementation.name, "scenario": self.scenario.name}
        record(COVERED, {**about, "covered": explored.covered()})
        if explored.finding is not None:
            raise self._shown(program, copy, explored)

    def _shown(self, program: ScenarioProgram, copy: Copy, explored: Exploration) -> Shown:
        assert explored.finding is not None
        limit = max(5.0, SHARE_OF_SHRINKING * self.seconds)
        shrinking = Shrinking(program, explored.finding, explored.decisions, limit, self.limits)
        shrinking.shrink()
        modules = copy.hashes
        schedule = Schedule(
            self.implementation.spec, self.scenario.name, modules, shrinking.finding, shrinking.decisions
        )
        path = _new_file(self.scenario.name)
        schedule_file.write(path, schedule)
        again = replay(program, schedule_file.read(path), modules, TIMES, self.limits)
        if not again.shown:
            finding = schedule.finding
            found = f"a {finding.kind} of {finding.requirement} was found and shown again 0 of {again.times} times"
            raise Unsupported(f"{found}, so something else than the order of threads decides: {finding.text}")
        number, before = len(schedule.decisions), len(explored.decisions)
        switches = f"{number} forced switch{'es' if number != 1 else ''}"
        found = f"{switches}{f', shrunk from {before}' if before > number else ''}, found in the {explored.stage}"
        lines = [
            schedule.finding.text,
            f"«{self.scenario.name}»: {found}; shown again {again.shown} of {again.times} times:",
            *(f"  {line}" for line in schedule.told()),
            f"explored: {explored.covered()}",
            f"again: agent-run-tck replay {path}",
            "what happened:",
            *schedule.finding.history,
        ]
        return Shown(schedule.finding.requirement, "\n".join(lines))


def _new_file(scenario: str) -> Path:
    """A file that nobody else writes, where temporary things are."""
    folder = Path(tempfile.mkdtemp(prefix="agent-run-tck-"))
    return folder / f"{re.sub(r'[^a-z_]+', '-', scenario)}.jsonl"
