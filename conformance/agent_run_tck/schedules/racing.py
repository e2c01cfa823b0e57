"""The scenarios of the races as programs to explore."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from agent_run_tck.races.scenario import Scenario
from agent_run_tck.races.text import foreign_text
from agent_run_tck.races.trial import Body, Trial
from agent_run_tck.schedules.copies import Copy
from agent_run_tck.schedules.trial import Point


class ScenarioRace:
    """A scenario in one trial."""

    def __init__(self, scenario: Scenario, trial: Trial) -> None:
        self._scenario = scenario
        self._trial = trial

    def bodies(self) -> Sequence[Body]:
        return self._scenario.bodies(self._trial)

    def judge(self) -> None:
        if debt := self._scenario.owed(self._trial):
            raise debt
        self._scenario.judge(self._trial)

    def history(self) -> Sequence[str]:
        return [
            f"{thread:>12}  {what}{f'  -> {reply}' if reply else ''}" for thread, what, reply in self._trial.history()
        ]


class ScenarioProgram:
    """A scenario with a copy of an implementation, with or without threads. Programs can share a copy."""

    def __init__(self, copy: Copy, scenario: Scenario, threads: bool = True) -> None:
        self.scenario = scenario
        self.requirement = scenario.requirements[0]
        self.files = copy.files
        self.stops_at_lines = threads
        self._copy = copy
        self._foreign: Callable[..., str] | None = None

    @property
    def cold(self) -> bool:
        return self._copy.cold

    def around(self) -> AbstractContextManager[None]:
        return self._copy.around()

    def race(self, point: Point) -> ScenarioRace:
        adapter = self._copy.implementation().adapter
        if self._foreign is None:
            self._foreign = foreign_text(adapter)
        return ScenarioRace(self.scenario, Trial(adapter, point, foreign=self._foreign))

    def at_rest(self) -> None:
        adapter: Any = self._copy.implementation().adapter
        getattr(adapter, "close", lambda: None)()

    def spoil(self) -> None:
        self._copy.forget()
