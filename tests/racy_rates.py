"""How often the races find each twin of `tests/broken/racy`: `python tests/racy_rates.py [--tries 20] [--write]`.

One try is what one run of the suite does: each scenario for as long as the budget says, until one of them finds
something. Those that were made for what the twin breaks come first, which changes no rate and saves hours.
"""

import argparse
import os
import platform
import random
import statistics
import sys
import time
from pathlib import Path

from agent_run_tck.budgets import BUDGETS
from agent_run_tck.loading import load
from agent_run_tck.protocol import Adapter
from agent_run_tck.races.loop import Found, Loop
from agent_run_tck.races.scenario import SCENARIOS, Scenario
from attrs import frozen

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.kit.test_broken import RACY, declared

README = Path(__file__).parent / "broken" / "racy" / "README.md"
PATIENCE = 1.0  # what is lost stays lost, so the suite's own patience would only take time
HEAD = """# How often the races find these

Made by `python tests/racy_rates.py --tries {tries} --budget {budget} --write`; not edited by hand. A try is one run of
the suite's races, {seconds:g} s for each of {scenarios} scenarios. *Caught*: in how many of {tries} tries one of them
found something. *Seconds*: the median until then. *Said to be violated*: how often which requirement. It was made by
Python {python} on {cores} cores with a load of {load:.0f}.

| twin | caught | seconds | said to be violated |
|---|---|---|---|
"""


@frozen
class Catch:
    """The requirement that a try found violated, and after how many seconds."""

    requirement: str
    seconds: float


def in_order(breaks: tuple[str, ...]) -> list[Scenario]:
    """The scenarios that were made for the first of what is broken, then for the rest, then the others."""

    def rank(scenario: Scenario) -> list[bool]:
        return [id not in scenario.requirements for id in breaks]

    return sorted(SCENARIOS, key=rank)


def attempt(adapter: Adapter, scenarios: list[Scenario], seconds: float, seed: int) -> Catch | None:
    start = time.monotonic()
    for scenario in scenarios:
        try:
            Loop(adapter, scenario, seed, PATIENCE).run(seconds)
        except Found as found:
            return Catch(found.requirement, time.monotonic() - start)
    return None


def row(path: Path, tries: int, seconds: float, seed: int) -> str:
    breaks = declared(path)["BREAKS"]
    assert isinstance(breaks, tuple)
    adapter = load(str(path)).adapter
    found = [attempt(adapter, in_order(breaks), seconds, seed + number) for number in range(tries)]
    catches = [catch for catch in found if catch is not None]
    ids = [catch.requirement for catch in catches]
    said = ", ".join(f"{id} {ids.count(id)}{'' if id in breaks else ' (!)'}" for id in sorted({*ids}, key=ids.index))
    median = f"{statistics.median(catch.seconds for catch in catches):.2f}" if catches else ""
    return f"| {path.stem} | {len(catches)} of {tries} | {median} | {said} |\n"


def head(tries: int, budget: str) -> str:
    return HEAD.format(
        tries=tries,
        budget=budget,
        seconds=BUDGETS[budget].race,
        scenarios=len(SCENARIOS),
        python=platform.python_version(),
        cores=os.cpu_count(),
        load=os.getloadavg()[2],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("twins", nargs="*", help="only the twins whose names contain one of these")
    parser.add_argument("--tries", type=int, default=20)
    parser.add_argument("--budget", choices=BUDGETS, default="standard")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--write", action="store_true", help=f"write {README.name} in the folder of the twins")
    given = parser.parse_args()
    seconds = BUDGETS[given.budget].race
    rows = []
    for path in RACY:
        if not given.twins or any(twin in path.stem for twin in given.twins):
            rows.append(row(path, given.tries, seconds, given.seed))
            print(rows[-1], end="", flush=True)
    if given.write:
        README.write_text(head(given.tries, given.budget) + "".join(rows))


if __name__ == "__main__":
    main()
