"""The default mode: one scenario, tried again and again for about a second, each time under noise of another kind."""

import random
import threading
import time
from collections.abc import Callable
from typing import Any

from attrs import frozen

from agent_run_tck.protocol import Adapter
from agent_run_tck.races.locks import noisy_locks
from agent_run_tck.races.noise import Mode, Noise, Tracing, draw_mode
from agent_run_tck.races.scenario import Scenario
from agent_run_tck.races.team import Team
from agent_run_tck.races.text import foreign_text
from agent_run_tck.races.trial import Entry, Trial, Violated
from agent_run_tck.wire.faults import Fault

UNREST = 1.0  # seconds after which a trial that is not at rest goes on without noise
PATIENCE = 5.0  # and so many more, after which it hangs
FEWEST = 20


@frozen
class Tried:
    """That a scenario was tried so many times, and nothing was found."""

    scenario: str
    seed: int
    trials: int


class Found(Violated):
    """A violation, with the trial that showed it."""

    def __init__(self, violated: Violated, scenario: str, seed: int, number: int, mode: Mode, trial: Trial) -> None:
        super().__init__(
            violated.requirement,
            f"{violated.text}\n{scenario}: trial {number} with --seed={seed}, {mode}",
        )
        self.number = number
        self.history: list[Entry] = trial.history()


class Loop:
    """Tries one scenario. It belongs to the thread that made it, and blocks for the time it is given, or for a hang."""

    def __init__(
        self,
        adapter: Adapter,
        scenario: Scenario,
        seed: int,
        patience: float = PATIENCE,
        in_process: bool = True,
    ) -> None:
        self._adapter = adapter
        self._scenario = scenario
        self._seed = seed
        self._patience = patience
        self._in_process = in_process
        self._tracing = Tracing()
        self._foreign = foreign_text(adapter)
        self._last: Callable[[], None] = lambda: None

    def run(self, seconds: float, fewest: int = FEWEST) -> Tried:
        """Try for so long, and so many times at least. Raises Found for the first violation."""
        __tracebackhide__ = True
        deadline = time.monotonic() + seconds
        number = 0
        with self._tracing.block():
            team = Team()
            try:
                while number < fewest or time.monotonic() < deadline:
                    number += 1
                    self._try(team, number)
                self._last()
            finally:
                team.stop()
        return Tried(self._scenario.name, self._seed, number)

    def _try(self, team: Team, number: int) -> None:
        __tracebackhide__ = True
        rng = random.Random(f"{self._seed}/{self._scenario.name}/{number}")
        noise = Noise(draw_mode(rng), rng)
        seam = noise.at("seams")

        def point() -> None:
            if noise.traces:
                self._tracing.adopt()
            seam()

        trial = Trial(self._adapter, point, lambda create: _made(create, noise), self._foreign)
        trial.calls_back_at_once = self._in_process

        def judge(verdict: Callable[[], None]) -> None:
            __tracebackhide__ = True
            try:
                verdict()
            except Violated as violated:
                noise.stop()
                where = (self._scenario.name, self._seed, number, noise.mode, trial)
                raise Found(violated, *where) from None

        self._tracing.noise = noise
        judge(lambda: self._race(team, trial, noise))
        judge(lambda: self._scenario.judge(trial))
        if team.errors:
            raise team.errors[0]
        # What comes too often may come late, so each trial is judged once more after the next one.
        self._last()
        self._last = lambda: judge(lambda: self._scenario.judge(trial))

    def _race(self, team: Team, trial: Trial, noise: Noise) -> None:
        bodies = self._scenario.bodies(trial)
        team.start(bodies)
        at_rest = threading.Event()
        running, owed = team.ended(len(bodies), UNREST), None
        if faults := [error for error in team.errors if isinstance(error, Fault)]:
            raise faults[0]
        if not running:
            owed = _owed(self._scenario, trial, UNREST, at_rest)
        noise.stop()
        if running and team.ended(running, self._patience) and (stuck := team.stuck()):
            seconds = UNREST + self._patience
            text = f"after {seconds:.3g} s {len(stuck)} threads have not come back; they stand {', '.join(stuck)}"
            raise Violated(self._scenario.hang(trial), text)
        if (running or owed) and (owed := _owed(self._scenario, trial, self._patience, at_rest)):
            raise owed


def _owed(scenario: Scenario, trial: Trial, seconds: float, never: threading.Event) -> Violated | None:
    """Wait until nothing is owed any more, at most so long; what still is."""
    deadline = time.monotonic() + seconds
    look = 20e-6
    while (owed := scenario.owed(trial)) and time.monotonic() < deadline:
        never.wait(look)
        look = min(2 * look, 0.005)
    return owed


def _made(create: Callable[[], Any], noise: Noise) -> Any:
    if "locks" not in noise.mode.points:
        return create()
    with noisy_locks(noise.point):
        return create()
