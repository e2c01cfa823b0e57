"""Runs that are too long to note every event of, and how long they take."""

import time
from collections.abc import Callable
from typing import Any

from agent_run_tck.case import Case
from agent_run_tck.driven import DrivenRun

SHORT, LONG = 10_000, 100_000
FACTOR = 30
ATTEMPTS = 3
SAMPLED = 1000


class Tally:
    """Counts the events of one tap and looks into every thousandth."""

    def __init__(self, case: Case) -> None:
        self.events = 0
        self.wrong_seqs: list[Any] = []
        self.done_at: float | None = None
        self._case = case

    def on_event(self, event: Any) -> None:
        if self.events % SAMPLED == 0:
            seq = self._case.shield(lambda: self._case.plain(event)).get("seq")
            if seq != self.events:
                self.wrong_seqs.append((self.events, seq))
        self.events += 1

    def on_done(self) -> None:
        self.done_at = time.perf_counter()
        self._case.changes.notify()

    def on_quit(self, error: BaseException | None = None) -> None:
        self._case.note(f"the tally is handed quit ({error!r})")

    def tap(self, run: DrivenRun) -> None:
        self._case.note(f"{run.name}.tap(tally)")
        run.handle.tap(self.on_event, self.on_done, self.on_quit)


Deliver = Callable[[DrivenRun, Tally, int], None]


def live(run: DrivenRun, tally: Tally, events: int) -> None:
    tally.tap(run)
    run.emit_many(events)
    run.finish()


def buffered(run: DrivenRun, tally: Tally, events: int) -> None:
    run.emit_many(events)
    run.finish()
    tally.tap(run)


def seconds(case: Case, deliver: Deliver, events: int, patience: float) -> float:
    """How long a run of so many events takes until done; all of them have to arrive."""
    tally = Tally(case)
    start = time.perf_counter()
    deliver(case.run(), tally, events)
    case.changes.until(lambda: case.problems or tally.done_at is not None, patience)
    case.raise_problems()
    assert tally.done_at is not None, (
        f"{events} events and done ({deliver.__name__}) must arrive; {tally.events} events did in {patience:.3g} s"
    )
    assert tally.events == events + 1, f"{events} events and the terminal must arrive; {tally.events} did"
    assert not tally.wrong_seqs, f"events must arrive in order; (place, seq) of wrong ones: {tally.wrong_seqs}"
    return tally.done_at - start


def take_proportional_time(case: Case, deliver: Deliver) -> None:
    """The long run may take FACTOR times what the short one takes; the best attempt counts, as machines are busy."""
    least = float("inf")
    for _ in range(ATTEMPTS):
        short = max(seconds(case, deliver, SHORT, case.budgets.case) for _ in range(2))
        long = seconds(case, deliver, LONG, max(short * FACTOR * 2, case.budgets.wait))
        least = min(least, long / short)
        if least <= FACTOR:
            return
    raise AssertionError(
        f"{LONG} events ({deliver.__name__}) may take {FACTOR} times what {SHORT} take, not {least:.0f} times"
    )
