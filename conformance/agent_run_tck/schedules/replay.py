"""The command `replay` for a schedule: runs it again, ten times, and says whether it shows what it has shown."""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from agent_run_tck.loading import load
from agent_run_tck.races.scenario import SCENARIOS
from agent_run_tck.schedules import schedule_file
from agent_run_tck.schedules.copies import Copy
from agent_run_tck.schedules.explore import replayed
from agent_run_tck.schedules.racing import ScenarioProgram
from agent_run_tck.schedules.schedule_file import BadSchedule, Schedule
from agent_run_tck.schedules.scheduler import USUAL, Decision, Limits
from agent_run_tck.schedules.strategies import Default
from agent_run_tck.schedules.trial import Outcome, Program, run_trial

TIMES = 10


@frozen
class Replay:
    """`shown` of `times` runs showed what the file says; `changed` are the modules that are not as they were.

    With a changed module nothing is run, for the schedule no longer applies. `never` are the decisions that took place
    in none of the runs: their moment never came, or the option was not there.
    """

    schedule: Schedule
    times: int
    shown: int
    changed: Sequence[str]
    others: Sequence[str]
    never: Sequence[Decision] = ()

    def told(self) -> list[str]:
        schedule = self.schedule
        what = f"{schedule.finding.requirement} ({schedule.finding.kind}) in «{schedule.scenario}»"
        lines = [
            f"{what}: shown {self.shown} of {self.times} times{self.elsewhere()}",
            *(f"  {line}" for line in schedule.told()),
        ]
        if self.shown:
            return [*lines, *schedule.finding.text.splitlines()]
        return [*lines, *(f"  instead: {other}" for other in self.others)]

    def elsewhere(self) -> str:
        here = f"{sys.version_info.major}.{sys.version_info.minor}"
        found = self.schedule.python
        return "" if self.shown or found == here else f"; it was found with Python {found}, and this is {here}"


def main(arguments: Sequence[str]) -> int:
    """Print what came of it. 1: it was shown again; 0: it was not. Raises BadSchedule and CannotLoad.

    One that no longer applies, because a module under test has changed or a decision cannot take place, is neither.
    """
    parser = argparse.ArgumentParser(prog="agent-run-tck replay", description="Run a schedule again.")
    parser.add_argument("file", type=Path, metavar="FILE", help="the file that a failure has named")
    parser.add_argument("--impl", metavar="SPEC", help="the implementation (default: that which the file names)")
    options = parser.parse_args(arguments)
    again = replay_file(options.file, options.impl)
    if again.changed:
        changed = ", ".join(again.changed)
        raise BadSchedule(f"the schedule no longer applies: {changed} changed since it was found; explore anew")
    if again.never and not again.shown:
        raise BadSchedule(_impossible(options.file, again))
    print("\n".join(again.told()))
    return 1 if again.shown else 0


def _impossible(path: Path, again: Replay) -> str:
    first = again.never[0]
    number = list(again.schedule.decisions).index(first) + 1
    where = f"thread {first.thread} at its point {first.point} giving the turn to {first.to}"
    return (
        f"{path}: decision {number} of {len(again.schedule.decisions)}, {where}, could never take place"
        f"{again.elsewhere()}; give the file as it was written, or explore anew"
    )


def names_schedule(arguments: Sequence[str]) -> bool:
    """Whether the first of the arguments that is a file is a schedule."""
    file = next((path for each in arguments if (path := Path(each)).is_file()), None)
    return file is not None and schedule_file.is_schedule(file)


def replay_file(path: Path, implementation: str | None = None, times: int = TIMES) -> Replay:
    """Replay a schedule on the implementation that it was found in, or on another one.

    Raises BadSchedule and CannotLoad. Blocks until all runs have ended; one at a time in a process.
    """
    schedule = schedule_file.read(path)
    spec = implementation or schedule.implementation
    scenario = next((each for each in SCENARIOS if each.name == schedule.scenario), None)
    if scenario is None:
        raise BadSchedule(f"{path}: there is no scenario {schedule.scenario!r} any more; explore anew")
    threads = load(spec).capabilities.threads  # so what is wrong with it is said before control begins
    copy = Copy(spec)
    program = ScenarioProgram(copy, scenario, threads)
    run_trial(program, Default())
    return replay(program, schedule, copy.hashes, times)


def replay(program: Program, schedule: Schedule, modules: dict[str, str], times: int, limits: Limits = USUAL) -> Replay:
    """The same with a program at hand, and the hashes of its modules."""
    changed = sorted(name for name, _ in modules.items() ^ schedule.modules.items())
    if changed:
        return Replay(schedule, times, 0, list(dict.fromkeys(changed)), ())
    outcomes = replayed(program, schedule.decisions, times, limits)
    shown = sum(schedule.finding.same_as(outcome.finding) for outcome in outcomes)
    others = Counter(_told(outcome) for outcome in outcomes if not schedule.finding.same_as(outcome.finding))
    told = [f"{count} times {what}" for what, count in others.items()]
    taken = {(*each.key, each.to) for outcome in outcomes for each in outcome.decisions}
    never = [each for each in schedule.decisions if (*each.key, each.to) not in taken]
    return Replay(schedule, times, shown, (), told, never)


def _told(outcome: Outcome) -> str:
    if outcome.unsupported:
        return f"control was lost: {outcome.unsupported}"
    return f"{outcome.finding.kind} of {outcome.finding.requirement}" if outcome.finding else "nothing"
