"""Noise: what makes threads meet in the middle of an operation. Each trial draws its own.

Since Python 3.10 a thread gives up its turn only at calls and jumps, so that most of "look, then act" is never split by
itself. Noise splits it: at lines or opcodes of the implementation, at its locks, and at the suite's own callables.
"""

import random
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from attrs import frozen

from agent_run_tck.races.trial import nothing

SLEEPS = ((0.0,), (0.0, 20e-6, 200e-6), (0.0, 0.0, 0.0, 500e-6))
# Between which probabilities a trial draws. The more points an operation passes, the rarer noise must be: what pays is
# one or two long pauses at the right place, and not a hundred.
RANGES = {"opcodes": (0.001, 0.03), "lines": (0.003, 0.1), "seams": (0.02, 0.4)}
# Opcodes are reported in full up to 3.11 only.
TRACES = ("lines", "opcodes") if sys.version_info < (3, 12) else ("lines",)
MIX = ("trace", "trace", "trace", "locks", "seams", "trace and locks")

Trace = Callable[[FrameType, str, Any], Any]


@frozen
class Mode:
    """Where a trial is disturbed (`points`), how often, and for how long in seconds."""

    points: tuple[str, ...]
    probability: float
    sleeps: tuple[float, ...]

    def __str__(self) -> str:
        sleeps = ", ".join(f"{1e6 * sleep:g}" for sleep in self.sleeps)
        return f"noise at {' and '.join(self.points)}, probability {self.probability:.2g}, sleeps of {sleeps} µs"


def draw_mode(rng: random.Random) -> Mode:
    kind = rng.choice(MIX)
    points = [rng.choice(TRACES)] if "trace" in kind else []
    if "locks" in kind:
        points.append("locks")
    if kind == "seams" or rng.random() < 0.5:
        points.append("seams")
    rarest, most_often = RANGES.get(points[0], RANGES["seams"])
    return Mode(tuple(points), rarest * (most_often / rarest) ** rng.random(), rng.choice(SLEEPS))


class Noise:
    """The noise of one trial. All of it may be called from any thread; `stop` ends it for good."""

    def __init__(self, mode: Mode, rng: random.Random) -> None:
        self.mode = mode
        self._rng = rng
        self._traces = bool({*TRACES} & {*mode.points})
        self._on = True

    def point(self) -> None:
        """Perhaps give the turn away, for no time or for a little."""
        if self._on and self._rng.random() < self.mode.probability:
            time.sleep(self._rng.choice(self.mode.sleeps))  # this is the noise, and waits for nothing

    def at(self, points: str) -> Callable[[], None]:
        """What to call at these points: nothing where the mode leaves them in peace."""
        return self.point if points in self.mode.points else nothing

    def stop(self) -> None:
        self._on = False

    @property
    def traces(self) -> bool:
        return self._traces


class Tracing:
    """Traces threads while the block lasts, and makes the noise of the trial of the moment in them.

    A thread of the implementation may serve several trials, so the noise is asked for each time. Threads that are
    started inside the block are traced; an older one is from the first callback on that it calls (`adopt`).
    """

    def __init__(self) -> None:
        self.noise: Noise | None = None
        self._owner = threading.get_ident()
        self._ended = False

    @contextmanager
    def block(self) -> Generator[None]:
        before = threading.gettrace()
        threading.settrace(self._enter)
        try:
            yield
        finally:
            self._ended = True
            threading.settrace(before)

    def adopt(self) -> None:
        """Trace the calling thread from now on, unless it makes the trials or somebody else traces it."""
        if self._ended or sys.gettrace() is not None or threading.get_ident() == self._owner:
            return
        sys.settrace(self._enter)
        frame: FrameType | None = sys._getframe()
        while frame is not None:
            frame.f_trace = self._enter(frame, "call", None)
            frame = frame.f_back

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Trace | None:
        if self._ended:  # let the thread go
            sys.settrace(None)
            return None
        if self.noise is None or not self.noise.traces or not is_of_the_implementation(frame.f_code):
            return None
        if "opcodes" in self.noise.mode.points:
            frame.f_trace_lines, frame.f_trace_opcodes = False, True
        return self._inside

    def _inside(self, frame: FrameType, event: str, argument: Any) -> Trace:
        if self.noise is not None and self.noise.traces:
            self.noise.point()
        return self._inside


def is_of_the_implementation(code: CodeType) -> bool:
    return is_file_of_the_implementation(code.co_filename)


@cache
def is_file_of_the_implementation(filename: str) -> bool:
    """Everything is, but the kit, what it needs, the standard library, and code that was made up from text."""
    path = Path(filename)
    if path.is_relative_to(KIT) or not path.is_file():
        return False
    for packages in PACKAGES:
        if path.is_relative_to(packages):
            return path.relative_to(packages).parts[0] not in NEEDED
    return not any(path.is_relative_to(library) for library in LIBRARIES)


KIT = Path(__file__).parents[1]
NEEDED = {"attr", "attrs", "pytest", "_pytest", "pluggy", "hypothesis", "xdist", "execnet"}
PACKAGES = {Path(sysconfig.get_path(name)) for name in ("purelib", "platlib")}
LIBRARIES = {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
