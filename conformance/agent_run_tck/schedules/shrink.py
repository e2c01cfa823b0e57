"""From the schedule that chance has found to one with few decisions, by leaving out what is not needed."""

import itertools
import math
import time
from collections.abc import Sequence

from attrs import define

from agent_run_tck.schedules.explore import replayed
from agent_run_tck.schedules.scheduler import USUAL, Decision, Limits
from agent_run_tck.schedules.trial import Finding, Program

MOST_FEW = 200


@define
class Shrinking:
    """`decisions` always show `finding`; each success makes them fewer."""

    program: Program
    finding: Finding
    decisions: Sequence[Decision]
    seconds: float
    limits: Limits = USUAL
    tries: int = 0

    def shrink(self) -> None:
        """Leave out halves, quarters and at last single decisions; when no single one can go, try few of them alone.

        Blocks for about `seconds` at the most.
        """
        deadline = time.monotonic() + self.seconds
        size = max(1, len(self.decisions) // 2)
        while self.decisions and time.monotonic() < deadline:
            if self._leaves_out(size, deadline):
                size = min(size, max(1, len(self.decisions)))
            elif size == 1:
                self._keeps_few(deadline)
                return
            else:
                size = max(1, size // 2)

    def _leaves_out(self, size: int, deadline: float) -> bool:
        """Whether one of the pieces of this size could go. From the end, where most of it is idle noise."""
        for end in range(len(self.decisions), 0, -size):
            if time.monotonic() > deadline:
                return False
            rest = [*self.decisions[: max(0, end - size)], *self.decisions[end:]]
            if self._shows(rest):
                return True
        return False

    def _keeps_few(self, deadline: float) -> None:
        """Try all ones, twos and threes, where they are not too many."""
        for size in range(1, min(4, len(self.decisions))):
            if math.comb(len(self.decisions), size) > MOST_FEW:
                return
            for few in itertools.combinations(self.decisions, size):
                if time.monotonic() > deadline or self._shows(few):
                    return

    def _shows(self, decisions: Sequence[Decision]) -> bool:
        self.tries += 1
        [outcome] = replayed(self.program, decisions, 1, self.limits)
        if not self.finding.same_as(outcome.finding) or len(outcome.decisions) >= len(self.decisions):
            return False
        self.finding = outcome.finding or self.finding
        self.decisions = outcome.decisions
        return True
