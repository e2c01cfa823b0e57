"""What a state machine of tests asks of contract.py."""

from __future__ import annotations

import pytest
from agent_run_tck.model import contract
from agent_run_tck.model.contract import State, apply, is_internal, owed, resting, steps
from agent_run_tck.model.graph import load

PARKS = "DeliverAndPark"


def walk(*labels: str, hook: contract.Hook = "idle") -> frozenset[State]:
    """Rest after every operation, but not before a delivery that is part of the walk."""
    states: frozenset[State] = frozenset({State(hook=hook)})
    for label, following in zip(labels, [*labels[1:], ""], strict=True):
        states = apply(states, label)
        if not following.startswith("Deliver"):
            states = resting(states)
    return states


def unfolded(state: State, known: dict[State, frozenset[State]]) -> frozenset[State]:
    """The definition of resting: every order of the run's own steps, where nothing is owed any more."""
    if state not in known:
        after = [new for label, new in steps(state) if is_internal(label) and not label.startswith(PARKS)]
        here = frozenset() if any(owed(state)) else frozenset({state})
        known[state] = here.union(*(unfolded(new, known) for new in after))
    return known[state]


def test_resting_is_what_every_order_of_steps_leads_to() -> None:
    known: dict[State, frozenset[State]] = {}
    states = load().states
    for state in states:
        assert resting({state}) == unfolded(state, known)
    assert sum(len(unfolded(state, known)) > 1 for state in states) > 100


def test_with_nobody_parked_and_no_hook_out_there_is_one_resting_state() -> None:
    (state,) = walk("Tap1", "EmitTrue", "Tap2", "EmitTrue", "FinishFailedTrue")
    assert [tap.seen for tap in state.tap] == [(0, 1, 2), (1, 2)]
    assert all(tap.done for tap in state.tap)
    assert (state.result, state.drained) == ("failed", True)


def test_a_parked_callback_holds_its_own_tap_and_may_hold_the_others() -> None:
    states = walk("Tap1", "Tap2", "EmitTrue", "DeliverAndPark1", "FinishCompletedTrue")
    assert {state.tap[0].seen for state in states} == {(0,)}
    assert {state.tap[1].seen for state in states} == {(), (0,), (0, 1)}
    assert {state.tap[1].done for state in states} == {False, True}
    assert all(state.drained for state in states)
    (state,) = resting(apply(states, "Unpark1"))
    assert [tap.done for tap in state.tap] == [True, True]


def test_a_tap_made_inside_the_callback_of_the_terminal_gets_all_of_the_end_or_nothing() -> None:
    states = walk("EmitTrue", "FinishCompletedTrue", "Tap1", "Deliver1", "DeliverAndPark1", "Tap2")
    ends = {(tap.seen, tap.done) for state in resting(apply(states, "Unpark1")) for tap in state.tap[1:]}
    assert ends == {((1,), True), ((), False)}


def test_a_callback_that_parks_at_its_second_delivery_parks_there_wherever_the_others_are() -> None:
    open_run = walk("Tap1", "Tap2")
    emitted = apply(apply(open_run, "EmitTrue"), "EmitTrue")
    states = resting(emitted, {1: 1})
    assert {(state.tap[0].seen, state.tap[0].parked) for state in states} == {((0, 1), True)}
    assert {state.tap[1].seen for state in states} == {(), (0,), (0, 1)}
    assert resting(emitted, {1: 2}) == resting(emitted)


def test_drained_may_wait_for_the_hook_and_no_longer() -> None:
    states = walk("CancelAccepted", "FinishCancelledTrue")
    assert {state.hook for state in states} == {"running"}
    assert {state.drained for state in states} == {False, True}
    assert {state.drained for state in resting(apply(states, "HookReturn"))} == {True}


def test_without_a_hook_drained_waits_for_nothing() -> None:
    (state,) = walk("CancelAccepted", "FinishCancelledTrue", hook="unset")
    assert (state.cancelled, state.drained) == (True, True)


def test_apply_of_what_the_contract_forbids_leaves_nothing() -> None:
    states = walk("FinishCompletedTrue")
    assert apply(states, "EmitFalse") == states
    for label in ("EmitTrue", "CancelAccepted", "WorkBeginTrue", "FinishCompletedTrue", "Tap2", "Unpark1"):
        assert apply(states, label) == frozenset()


def test_without_bounds_taps_events_and_sections_never_run_out() -> None:
    (state,) = walk(*["EmitTrue"] * 5, *["WorkBeginTrue"] * 3, "Tap1", "Tap2", "Tap3")
    assert (len(state.log), state.sections, len(state.tap)) == (5, 3, 3)
    assert {"EmitTrue", "WorkBeginTrue", "Tap4", "CloseTap3"} <= {label for label, _ in steps(state)}


def test_internal_labels_are_those_that_no_client_chooses() -> None:
    internal = {label for _, label, _ in load().edges if is_internal(label)}
    assert internal == {
        "KeepCancellation",
        "HookStart",
        "KeepDrained",
        "Deliver1",
        "Deliver2",
        "DeliverAndPark1",
        "Done1",
        "Done2",
    }


@pytest.mark.parametrize("label", ["Emit", "Tap", "EmitTrue1", "Deliver0", "", "Deliver1 "])
def test_an_unknown_label_is_refused(label: str) -> None:
    with pytest.raises(ValueError, match="is no label of the model"):
        apply(contract.initial_states(), label)
