"""Disturbs the threads of a program, each program in its own way, so that they meet in the middle of operations."""

import random
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

from agent_run_tck.races.locks import noisy_locks
from agent_run_tck.races.noise import Mode, Noise, Tracing, draw_mode

T = TypeVar("T")
SWITCH_INTERVAL = 1e-5
QUIET = Noise(Mode((), 0.0, (0.0,)), random.Random(0))


class Disturber:
    """The noise of the races, for programs. `block`, `draw` and `made` belong to the thread that made it."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._number = 0
        self._tracing = Tracing()
        self._drawn = self._noise = self._tracing.noise = QUIET

    @contextmanager
    def block(self) -> Generator[None]:
        """Threads that are started inside are disturbed, and take turns more often."""
        before = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_INTERVAL)
        try:
            with self._tracing.block():
                yield
        finally:
            sys.setswitchinterval(before)

    def draw(self) -> None:
        """Draw the noise of the next program, which begins with `start`."""
        self._number += 1
        rng = random.Random(f"{self._seed}/{self._number}")
        self._drawn = Noise(draw_mode(rng), rng)

    def start(self) -> None:
        self._tracing.noise = self._noise = self._drawn

    def rest(self) -> None:
        """Leave the threads in peace until the next start."""
        self._tracing.noise = self._noise = QUIET

    def point(self) -> None:
        """For callbacks, on any thread: perhaps give the turn away."""
        noise = self._noise
        if noise.traces:
            self._tracing.adopt()
        noise.at("seams")()

    def made(self, create: Callable[[], T]) -> T:
        """What `create` makes, with locks that make noise where the noise of the moment has them."""
        if "locks" not in self._drawn.mode.points:
            return create()
        with noisy_locks(lambda: self._noise.point()):
            return create()
