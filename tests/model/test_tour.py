"""The tour covers every transition, however an implementation uses its freedoms, and finds what nothing else finds."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from agent_run_tck.budgets import BUDGETS
from agent_run_tck.loading import load
from agent_run_tck.model.contract import State
from agent_run_tck.model.coverage import DROPPED, HELD_UP, OTHER_ANSWER, SERVED, coverage
from agent_run_tck.model.fold import Fold, Hook, Node, Operation, Outcome, Reply, load_folded, reply_of
from agent_run_tck.model.machine import machine_for
from agent_run_tck.model.program import Program
from agent_run_tck.model.tour import Tour
from agent_run_tck.model.view import view_of_state
from agent_run_tck.tour_summary import lines
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

Choice = Callable[[list[tuple[Outcome, State]]], Outcome]
TWIN = Path(__file__).with_name("one_wrong_reply.py")


def handed(state: State) -> int:
    return sum(len(tap.seen) + tap.done for tap in state.tap)


def bufferer(ways: list[tuple[Outcome, State]]) -> Outcome:
    """Everything goes on as far as it may."""
    return max(ways, key=lambda way: (way[1].drained, handed(way[1])))[0]


def dropper(ways: list[tuple[Outcome, State]]) -> Outcome:
    """Everything waits for everybody, and what nobody is there for is lost."""
    return min(ways, key=lambda way: (way[1].drained, handed(way[1])))[0]


def one_publisher(ways: list[tuple[Outcome, State]]) -> Outcome:
    """Taps wait for each other, and what nobody is there for is kept."""
    return min(ways, key=lambda way: (way[1].drained, handed(way[1]) * (1 if way[1].any_parked else -1)))[0]


def unsteady() -> Choice:
    draw = random.Random(7)
    return lambda ways: draw.choice(ways)[0]


class Simulated:
    """A run of the model itself, which makes use of its freedoms as it chooses."""

    def __init__(self, fold: Fold, hook: Hook, choose: Choice) -> None:
        self.fold = fold
        self.node = fold.starts[hook]
        self.done: list[Operation] = []
        self._choose = choose
        self.view = view_of_state(fold.nodes[self.node].state)

    def do(self, operation: Operation) -> Reply:
        self.done.append(operation)
        outcomes = self.fold.outcomes[self.node][operation]
        taken = self._choose([(each, self.fold.nodes[each.node].state) for each in outcomes])
        self.node = taken.node
        self.view = view_of_state(self.fold.nodes[self.node].state)
        return reply_of(taken.label)

    def moves_on(self) -> bool:
        return False

    def end(self) -> None:
        self.done.append(Operation("end"))


class Late(Simulated):
    """A run that looks for a while as if it had handed over less than it has."""

    def do(self, operation: Operation) -> Reply:
        before = self.node
        reply = super().do(operation)
        views = [view_of_state(self.fold.nodes[each.node].state) for each in self.fold.outcomes[before][operation]]
        earlier = [view for view in views if view.may_become(self.view)]
        self._later, self.view = self.view, min(earlier, key=lambda view: sum(len(tap.seen) for tap in view.taps))
        return reply

    def moves_on(self) -> bool:
        moved, self.view = self.view != self._later, self._later
        return moved


@cache
def tour_of(fold: Fold, choose: Choice, kind: type[Simulated] = Simulated) -> tuple[Tour, list[Simulated]]:
    runs: list[Simulated] = []

    def start(hook: Hook) -> Simulated:
        runs.append(kind(fold, hook, choose))
        return runs[-1]

    tour = Tour(fold, start)
    tour.drive()
    return tour, runs


@pytest.mark.parametrize("threads", [True, False])
@pytest.mark.parametrize("choose", [bufferer, dropper, one_publisher])
def test_what_is_not_taken_lies_behind_a_freedom(choose: Choice, threads: bool) -> None:
    tour, _ = tour_of(load_folded(threads, 2), choose)
    covered = coverage(tour)
    everything = sum(1 for _ in tour.fold.transitions())
    assert tour.missing() == []
    assert covered.missing == 0
    assert covered.taken + sum(covered.freedoms.values()) == everything
    assert covered.taken > everything / 2


def test_what_an_implementation_does_is_not_called_a_freedom_that_it_does_not_take() -> None:
    fold = load_folded(True, 2)
    kept, dropped = (coverage(tour_of(fold, choose)[0]).freedoms for choose in (bufferer, dropper))
    assert {HELD_UP, DROPPED, OTHER_ANSWER} <= kept.keys()
    assert SERVED not in kept
    assert {SERVED, OTHER_ANSWER} <= dropped.keys()
    assert not {HELD_UP, DROPPED} & dropped.keys()


def test_an_unsteady_implementation_is_toured_to_the_end() -> None:
    steady, _ = tour_of(load_folded(True, 1), bufferer)
    tour, _ = tour_of(load_folded(True, 1), unsteady())
    assert tour.missing() == []
    assert len(tour.taken) > len(steady.taken)


def test_a_run_that_takes_its_time_is_seen_as_it_is_in_the_end() -> None:
    fold = load_folded(True, 2)
    late, _ = tour_of(fold, bufferer, Late)
    assert late.taken == tour_of(fold, bufferer)[0].taken


def test_every_run_has_something_new_and_the_same_behaviour_gives_the_same_tour() -> None:
    fold = load_folded(True, 1)
    tour, runs = tour_of(fold, dropper)
    again = tour_of.__wrapped__(fold, dropper)[1]
    assert [run.done for run in runs] == [run.done for run in again]
    assert all(run.done[-1].name == "end" for run in runs)
    assert len(runs) < len(fold.nodes) * 2
    assert tour.steps < 2 * len(tour.taken)


class Faulty(Simulated):
    """One reply is wrong, at one node: the driver that judges raises."""

    def do(self, operation: Operation) -> Reply:
        node: Node = self.fold.nodes[self.node]
        reply = super().do(operation)
        if operation.name == "emit" and node.state.closed and node.state.sections and node.state.cancelled:
            raise AssertionError(", ".join(map(str, self.done)))
        return reply


def test_a_fault_ends_the_tour_with_the_shortest_program_and_what_is_left_is_missing() -> None:
    fold = load_folded(True, 1)
    runs: list[Faulty] = []

    def start(hook: Hook) -> Faulty:
        runs.append(Faulty(fold, hook, bufferer))
        return runs[-1]

    tour = Tour(fold, start)
    with pytest.raises(AssertionError) as caught:
        tour.drive()
    assert str(caught.value) == "work_begin(), cancel(), emit(), finish('cancelled'), emit()"
    assert len(runs[-2].done) > len(runs[-1].done)
    covered = coverage(tour)
    assert covered.missing == sum(1 for _ in fold.transitions()) - covered.taken > 0
    assert any(taken < owed for taken, owed in covered.by_requirement.values())


def test_the_report_says_how_much_and_what_stands_apart() -> None:
    tour, _ = tour_of(load_folded(False, 1), bufferer)
    data = {**coverage(tour).as_data(), "implementation": "mine", "out_of_reach": {"for a reason": 5}}
    text = lines(data)
    taken = len(tour.taken)
    bounds = "within the graph's bounds: events 1, sections 1, taps 2"
    assert text[0] == f"{taken} of {taken} transitions in {tour.runs} runs of {tour.steps} operations, {bounds}"
    assert "more behind freedoms that mine does not take:" in text[1]
    assert "5 more not toured:" in text
    emits = sum(operation.name == "emit" for _, operation, _ in tour.taken)
    assert f"{'Emit':<18} {emits:>6} of {emits:>6}  STREAM-10 EMIT-1 EMIT-4" in text
    assert any(line.startswith("by requirement: RESULT-1 ") for line in text)
    early = lines({**data, "missing": 7})
    assert early[0].startswith(f"{taken} of {taken + 7} transitions")
    assert early[0].endswith(f"when a fault ended it, {bounds}")


def test_one_wrong_reply_of_one_transition_is_found_by_the_tour_and_not_by_programs_drawn_at_random() -> None:
    twin, budgets = load(str(TWIN)), BUDGETS["quick"]
    chosen = settings(max_examples=budgets.examples, deadline=None, derandomize=True, phases=(Phase.generate,))
    run_state_machine_as_test(machine_for(twin, budgets), settings=chosen)
    tour = Tour(load_folded(True, budgets.tour_taps), lambda hook: Program(twin, hook, budgets))
    with pytest.raises(AssertionError, match=r"work_begin\(\) replied True, but must reply False \(WORK-1"):
        tour.drive()


def test_the_reference_is_toured_to_the_end() -> None:
    reference, budgets = load("agent_run"), BUDGETS["quick"]
    tour = Tour(load_folded(True, budgets.tour_taps), lambda hook: Program(reference, hook, budgets))
    tour.drive()
    assert tour.missing() == []
    assert coverage(tour).taken == len(tour_of(load_folded(True, 1), one_publisher)[0].taken)
