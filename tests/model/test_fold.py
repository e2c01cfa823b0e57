"""The folded graph says the same as contract.py, which judges the programs."""

from __future__ import annotations

from functools import cache

from agent_run_tck.model.contract import State, apply, resting
from agent_run_tck.model.coverage import MORE_TAPS, NO_THREADS, out_of_reach
from agent_run_tck.model.fold import (
    PARKED_BACKLOG,
    PARKED_TAP,
    STRAY,
    Fold,
    Node,
    Operation,
    Parks,
    action_of,
    load_folded,
    reply_of,
)
from agent_run_tck.model.graph import load

INTERNAL = {"KeepCancellation", "HookStart", "KeepDrained", "Deliver", "DeliverAndPark", "Done"}


def size(fold: Fold) -> int:
    return sum(1 for _ in fold.transitions())


def after(node: Node, operation: Operation, label: str) -> frozenset[State]:
    """What contract.py says of the operation."""
    parks = dict(node.parks)
    if operation.name == "tap" and isinstance(operation.args[0], int):
        parks[len(node.state.tap) + 1] = operation.args[0]
    states = at_rest(apply({node.state}, label), tuple(parks.items()))
    if label == "CancelAccepted" and node.hook == "returns":
        states = at_rest(apply(states, "HookReturn"), tuple(parks.items()))
    return states


@cache
def at_rest(states: frozenset[State], parks: Parks) -> frozenset[State]:
    return resting(states, dict(parks))


def test_every_outcome_is_what_the_contract_says() -> None:
    fold = load_folded(True, 2)
    for number, operation, label in fold.transitions():
        outcomes = fold.outcomes[number][operation]
        states = {fold.nodes[outcome.node].state for outcome in outcomes if outcome.label == label}
        assert states == after(fold.nodes[number], operation, label), (fold.nodes[number], operation)


def test_every_step_of_a_client_is_toured_or_left_out_for_a_reason() -> None:
    fold = load_folded(True, 2)
    graph = load()
    steps: dict[State, set[str]] = {}
    for source, label, _ in graph.edges:
        steps.setdefault(graph.states[source], set()).add(label)
    for number, node in enumerate(fold.nodes):
        toured = {outcome.label for outcomes in fold.outcomes[number].values() for outcome in outcomes}
        clients = {label for label in steps[node.state] if action_of(label) not in INTERNAL}
        missing = clients - toured - {"Tap1", "Tap2", "WorkDoneStray"}
        assert not missing, (node, missing)
        if "WorkDoneStray" in clients - toured:
            assert node.state.hook_is_out
        if {"Tap1", "Tap2"} & (clients - toured):
            assert node.state.any_parked


def test_what_is_left_out_has_a_reason_and_is_counted() -> None:
    assert set(load_folded(True, 2).left_out) == {PARKED_TAP, PARKED_BACKLOG, STRAY}
    assert all(load_folded(True, 2).left_out.values())
    assert load_folded(False, 2).left_out == {}


def test_without_threads_nobody_parks() -> None:
    fold = load_folded(False, 2)
    assert set(fold.starts) == {"unset", "returns"}
    assert not any(node.state.any_parked or node.state.hook_is_out or node.parks for node in fold.nodes)


def test_what_a_smaller_tour_cannot_reach_is_counted() -> None:
    whole = size(load_folded(True, 2))
    out = out_of_reach(False, 1)
    assert set(out) == {NO_THREADS, MORE_TAPS}
    assert size(load_folded(False, 1)) + sum(out.values()) == whole
    assert out_of_reach(True, 2) == {}


def test_labels_name_their_action_and_reply() -> None:
    labels = ("FinishFailedTrue", "FinishNonTerminalFalse", "CloseTap2", "WorkDoneStray")
    assert [action_of(label) for label in labels] == ["Finish", "FinishNonTerminal", "CloseTap", "WorkDone"]
    replies = [reply_of(label) for label in ("EmitTrue", "EmitTerminalRefused", "WorkBeginFalse", "CancelIgnored")]
    assert replies == [True, "refused", False, None]
