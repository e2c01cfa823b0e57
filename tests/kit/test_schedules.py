"""The scheduler sees each kind of fault in a toy, says where, and shows it again; what is right it calls right."""

import threading
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from agent_run_tck.schedules.explore import Exploration, Explorer, replayed
from agent_run_tck.schedules.scheduler import Decision, Limits
from agent_run_tck.schedules.shrink import Shrinking
from agent_run_tck.schedules.strategies import PartialOrder, Priorities, RandomWalk, Strategy
from agent_run_tck.schedules.trial import Outcome, run_trial

from tests.kit import schedule_toys as toys

QUICK = Limits(points=2_000, rest=300, in_a_row=50)
IMPATIENT = Limits(gap=0.5)
SEEDS = range(40)
Kind = Callable[[Random], Strategy]
UNKNOWN_SCHEDULE = [Decision("0.1", 4_711, "0.9")]


def explored(toy: toys.Toy, seconds: float = 20, limits: Limits = QUICK) -> Exploration:
    return Explorer(toy, seconds, seed=1, limits=limits, share_of_chance=0.01).explore()


def shown_again(toy: toys.Toy, exploration: Exploration) -> int:
    assert exploration.finding is not None
    outcomes = replayed(toy, exploration.decisions, 10, QUICK)
    return sum(exploration.finding.same_as(outcome.finding) for outcome in outcomes)


@pytest.mark.parametrize("toy", [toys.Account(), toys.PooledAccount()], ids=lambda toy: type(toy).__name__)
def test_one_forced_switch_shows_a_lost_update(toy: toys.Toy) -> None:
    found = explored(toy)
    assert found.finding is not None
    assert (found.finding.kind, found.finding.requirement) == ("violation", "TOY-2")
    assert found.finding.text == "1 instead of 2"
    assert found.finding.history == ("the history of the toy",)
    assert found.stage == "one-delay sweep"
    [decision] = found.decisions
    assert decision.place.source == "self.balance = before + 1"
    assert Path(decision.place.file) == Path(toys.__file__)
    assert shown_again(toy, found) == 10


def test_what_is_exhausted_is_said() -> None:
    found = explored(toys.LockedAccount())
    assert found.finding is None
    assert found.one_delay.run == found.one_delay.of > 0
    assert found.two_delay is not None
    assert found.two_delay.run == found.two_delay.of > 0
    assert set(found.chance) == {"PCT", "POS", "random walk"}
    assert f"one-delay sweep exhausted: {found.one_delay.of} schedules" in found.covered()


def test_what_is_not_exhausted_is_said() -> None:
    found = explored(toys.LockedAccount(), seconds=0)
    assert found.one_delay.run == 0 < found.one_delay.of
    assert f"one-delay sweep 0 of {found.one_delay.of} schedules" in found.covered()
    assert "two-delay sweep not begun" in found.covered()


def test_a_deadlock_is_told_with_who_waits_for_what() -> None:
    toy = toys.Embrace()
    found = explored(toy)
    assert found.finding is not None
    assert (found.finding.kind, found.finding.requirement) == ("deadlock", "TOY-1")
    assert "which thread 1 (0.1) holds, at " in found.finding.text
    assert "which thread 2 (0.2) holds, at " in found.finding.text
    assert "with self.b, self.a:" in found.finding.text
    assert shown_again(toy, found) == 10


def test_a_lost_wake_up_is_a_deadlock() -> None:
    toy = toys.LostWakeUp()
    found = explored(toy)
    assert found.finding is not None
    assert found.finding.kind == "deadlock"
    assert "waits for a notification, since schedule_toys.py:" in found.finding.text
    assert found.decisions[0].place.source in ("if empty:", "with self.changed:")
    assert shown_again(toy, found) == 10


@pytest.mark.parametrize("toy", [toys.Polling(), toys.Spinning()], ids=lambda toy: type(toy).__name__)
def test_a_livelock_ends_with_the_bound(toy: toys.Toy) -> None:
    found = explored(toy)
    assert found.finding is not None
    assert found.finding.kind == "livelock"
    assert "2000 points have passed" in found.finding.text
    assert "thread 1 (0.1)" in found.finding.text


def test_what_goes_round_outside_is_stuck() -> None:
    found = explored(toys.GoesRound(), limits=IMPATIENT)
    assert found.finding is not None
    assert found.finding.kind == "stuck"
    assert "goes round in what is not under test" in found.finding.text


@pytest.mark.parametrize(
    ("toy", "why"),
    [
        (toys.Listening(), "waits in what is not written in Python"),
        (toys.Stranger(), "was not started through the module threading"),
        (toys.Apart(), "thread 1 (0.1) starts one that is not managed"),
        (toys.Unseen(), "a thread that is not managed came up in the trial, at "),
    ],
    ids=lambda each: type(each).__name__,
)
def test_where_control_is_lost_nothing_is_found(toy: toys.Toy, why: str) -> None:
    found = explored(toy, limits=IMPATIENT)
    assert found.finding is None
    assert why in found.unsupported


@pytest.mark.parametrize(
    "toy", [toys.Meeting(), toys.Spun(), toys.Serving(), toys.TasksInOrder()], ids=lambda toy: type(toy).__name__
)
def test_what_is_right_is_called_right(toy: toys.Toy) -> None:
    found = explored(toy, seconds=0.5)
    assert found.finding is None
    assert found.unsupported == ""
    assert found.points > 0


def test_tasks_overtake_one_another() -> None:
    toy = toys.Tasks()
    found = explored(toy)
    assert found.finding is not None
    assert found.finding.text == "unset instead of set"
    assert "task" in str(found.decisions[0].place)
    assert shown_again(toy, found) == 10


def test_no_thread_is_left_behind_whatever_it_swallows() -> None:
    before = set(threading.enumerate())
    toy = toys.Swallowing()
    found = explored(toy)
    assert found.finding is not None
    assert found.finding.kind == "deadlock"
    assert toy.spoiled == 1
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize(
    "made",
    [RandomWalk, PartialOrder, lambda random: Priorities(random, 10)],
    ids=["random walk", "POS", "PCT"],
)
def test_each_kind_of_chance_finds_it(made: Kind) -> None:
    found = [seed for seed in SEEDS if drawn(made, seed).finding]
    assert found
    assert drawn(made, found[0]).decisions == drawn(made, found[0]).decisions


def drawn(made: Kind, seed: int) -> Outcome:
    return run_trial(toys.Account(), made(Random(seed)), QUICK)


def test_shrinking_leaves_only_what_is_needed() -> None:
    toy = toys.Account()
    outcomes = [drawn(PartialOrder, seed) for seed in range(400)]
    longest = max((outcome for outcome in outcomes if outcome.finding), key=lambda outcome: len(outcome.decisions))
    assert longest.finding is not None
    assert len(longest.decisions) > 1
    shrinking = Shrinking(toy, longest.finding, longest.decisions, seconds=20, limits=QUICK)
    shrinking.shrink()
    assert len(shrinking.decisions) == 1
    assert shrinking.finding.same_as(longest.finding)


def test_decisions_that_never_come_change_nothing() -> None:
    [outcome] = replayed(toys.Account(), UNKNOWN_SCHEDULE, 1, QUICK)
    assert outcome.finding is None
    assert outcome.decisions == []
