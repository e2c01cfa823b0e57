"""EVENT: event objects and their plain form. What is tried comes from spec/events.toml, kind by kind."""

from collections import Counter
from functools import partial
from typing import Any

import pytest

from agent_run_tck.case import Case
from agent_run_tck.events.fields import (
    ENVELOPE,
    a,
    combinations,
    falsy,
    fields,
    full,
    is_closed,
    is_omitted_when_empty,
    kinds,
    payload_of,
    required,
)
from agent_run_tck.events.hostile import FORGED, HOSTILE, placed
from agent_run_tck.events.moments import has_form
from agent_run_tck.events.plain import blemish, same, unlike_after_json
from agent_run_tck.suite.exported import base_of_all, event_module, module_of_events, star_import
from agent_run_tck.suite.made_events import flat, made, not_made, plain_of, publish, refuses, takes
from agent_run_tck.suite.marks import requirement
from agent_run_tck.values import spoil


@requirement("EVENT-1")
def test_each_kind_can_be_made_and_has_its_kind_string(case: Case) -> None:
    for kind in kinds():
        plain = plain_of(case, kind, required(kind))
        assert plain.get("kind") == kind, f"the plain form of {a(kind)} has the kind {plain.get('kind')!r}"


@requirement("EVENT-2")
def test_emit_takes_every_kind_but_the_three_terminals_and_finish_takes_these(case: Case) -> None:
    for kind in kinds():
        terminal = kind in case.terminal_kinds
        taken_by_emit, taken_by_finish = takes(case, case.run(), kind)
        assert (taken_by_emit, taken_by_finish) == (not terminal, terminal), (
            f"{a(kind)} was {_taken(taken_by_emit)} by emit and {_taken(taken_by_finish)} by finish; "
            f"{_is_terminal(kind, terminal)}"
        )


@requirement("EVENT-2", needs="in_process")
def test_an_event_that_says_whether_it_is_terminal_says_it_right(case: Case) -> None:
    for kind in kinds():
        says = getattr(made(case, kind, required(kind)), "is_terminal", None)
        if isinstance(says, bool):  # it may be called otherwise, or not be there
            terminal = kind in case.terminal_kinds
            assert says == terminal, f"is_terminal of {a(kind)} is {says}; {_is_terminal(kind, terminal)}"


@requirement("EVENT-2", needs="star_import")
def test_a_module_that_lists_the_terminal_kinds_lists_these_three(case: Case) -> None:
    terminals = sorted(case.terminal_kinds)
    listed = sorted(getattr(module_of_events(case), "TERMINAL_KINDS", terminals))
    assert listed == terminals, f"TERMINAL_KINDS has {', '.join(listed)}; it must have {', '.join(terminals)}"


def _taken(accepted: bool) -> str:
    return "taken" if accepted else "refused"


def _is_terminal(kind: str, terminal: bool) -> str:
    return f"{kind} is{'' if terminal else ' not'} terminal"


@requirement("EVENT-3")
def test_a_required_field_cannot_be_left_out(case: Case) -> None:
    for kind in kinds():
        for field in fields(kind, "required"):
            payload = full(kind)
            del payload[field["name"]]
            not_made(case, kind, payload, f"its required field {field['name']} was left out")
            not_made(case, kind, {**payload, field["name"]: None}, f"its required field {field['name']} was null")


@requirement("EVENT-4")
def test_a_closed_set_takes_its_values_and_no_other(case: Case) -> None:
    for kind in kinds():
        for field in filter(is_closed, fields(kind)):
            for value in field["values"]:
                made(case, kind, {**full(kind), field["name"]: value})
            for stranger in ("stranger", "", field["values"][0].upper(), f" {field['values'][0]}", 0):
                why = f"{stranger!r} is no {field['name']}: these are {', '.join(field['values'])}"
                not_made(case, kind, {**full(kind), field["name"]: stranger}, why)


@requirement("EVENT-4")
def test_an_open_set_takes_values_that_nobody_knows_yet(case: Case) -> None:
    for kind in kinds():
        for field in [field for field in fields(kind) if "values" in field and not is_closed(field)]:
            for value in (*field["values"], "a value of tomorrow"):
                plain = plain_of(case, kind, {**full(kind), field["name"]: value})
                assert plain.get(field["name"]) == value, (
                    f"{field['name']} of {a(kind)} was given {value!r} and is {plain.get(field['name'])!r} in the "
                    "plain form; the known values of an open set are not all that there are"
                )


@requirement("EVENT-5")
def test_the_plain_form_has_what_was_supplied_under_wire_names_and_nothing_else(case: Case) -> None:
    for kind in kinds():
        for payload in combinations(kind):
            plain = plain_of(case, kind, payload)
            assert {"kind", "ts"} <= plain.keys(), f"the plain form of {a(kind)} has {sorted(plain)}: no kind, or no ts"
            _assert_supplied(kind, payload, plain)
            strange = plain.keys() - {*ENVELOPE, *(field["name"] for field in fields(kind))}
            assert not strange, f"the plain form of {a(kind)} has {sorted(strange)}, which is nothing that it may have"


def _assert_supplied(kind: str, payload: dict[str, Any], plain: dict[str, Any]) -> None:
    for key, value in payload.items():
        assert key in plain, f"the plain form of {a(kind)} lacks {key!r}, which was supplied; it has {sorted(plain)}"
        assert same(plain[key], value), (
            f"{key} of {a(kind)} is {plain[key]!r} in the plain form; {value!r} was supplied"
        )


@requirement("EVENT-6")
def test_what_was_not_supplied_or_is_null_is_absent(case: Case) -> None:
    for kind in kinds():
        optional = [field["name"] for field in fields(kind, "optional")]
        for payload in combinations(kind):
            missing = [name for name in optional if name not in payload]
            for given in (payload, {**payload, **dict.fromkeys(missing)}):
                present = [name for name in missing if name in plain_of(case, kind, given)]
                assert not present, (
                    f"the plain form of {a(kind)} made from {given!r} has {', '.join(present)}; "
                    "what was not supplied, or was null, must be absent"
                )


@requirement("EVENT-6")
def test_a_supplied_falsy_value_is_present(case: Case) -> None:
    for kind in kinds():
        for field in fields(kind, "required") + fields(kind, "optional"):
            for value in falsy(field):
                payload = {**required(kind), field["name"]: value}
                plain = payload_of(plain_of(case, kind, payload))
                if is_omitted_when_empty(field):
                    assert field["name"] not in plain, f"an empty {field['name']} of {a(kind)} counts as not supplied"
                else:
                    assert same(plain.get(field["name"]), value), (
                        f"{field['name']} of {a(kind)} was given {value!r}; in the plain form it is "
                        f"{plain.get(field['name'], 'absent')!r}, but it must be present"
                    )


@requirement("EVENT-7")
def test_what_is_always_reported_is_present_when_empty_and_when_not_supplied(case: Case) -> None:
    for kind in kinds():
        for field in fields(kind, "always"):
            name, default = field["name"], field["default"]
            for payload in (
                required(kind),
                {**required(kind), name: default},
                {**required(kind), name: falsy(field)[0]},
            ):
                plain = plain_of(case, kind, payload)
                assert name in plain, f"the plain form of {a(kind)} made from {payload!r} lacks {name}, always reported"
                assert same(plain[name], payload.get(name, default)), (
                    f"{name} of {a(kind)} made from {payload!r} is {plain[name]!r}; without a value it is {default!r}"
                )


@requirement("EVENT-8")
def test_the_ts_has_one_form_before_and_after_publication(case: Case) -> None:
    for kind in kinds():
        # Of so many moments some have a fraction that ends with 0.
        events = [made(case, kind, required(kind)) for _ in range(8)]
        plains = [flat(case, event, kind) for event in events] + publish(case, kind, *events)
        for plain in plains:
            assert has_form(plain.get("ts")), (
                f"the ts of {a(kind)} is {plain.get('ts')!r}; it must have the form of 2026-08-09T13:10:08.000000Z"
            )


@requirement("EVENT-9")
def test_the_ts_stays_the_same_however_often_and_late_it_is_asked_for(case: Case) -> None:
    events = {kind: made(case, kind, required(kind)) for kind in kinds()}
    created = {kind: flat(case, event, kind).get("ts") for kind, event in events.items()}
    latest = max(map(str, created.values()))
    case.eventually(lambda: str(case.plain(case.event("log"))["ts"]) > latest, "the clock of the events goes on")
    for kind, event in events.items():
        later = [plain.get("ts") for plain in (flat(case, event, kind), *publish(case, kind, event))]
        assert set(later) == {created[kind]}, (
            f"the ts of {a(kind)} was {created[kind]} and later {later}; it is the moment of creation and stays"
        )


@requirement("EVENT-10")
@pytest.mark.parametrize("run_id", ["an id of its own", ""])
def test_an_event_has_the_whole_envelope_once_it_is_published_and_none_before(case: Case, run_id: str) -> None:
    for kind in kinds():
        event = made(case, kind, required(kind))
        for published in publish(case, kind, event, run_id=run_id):
            envelope = {key: published.get(key, "absent") for key in ("run-id", "seq")}
            assert same(envelope, {"run-id": run_id, "seq": 0}), (
                f"a published {kind} has the envelope {envelope}; it must have the run-id {run_id!r} and the seq 0"
            )
        before = flat(case, event, kind).keys() & {"run-id", "seq"}
        assert not before, f"an unpublished {kind} has {', '.join(sorted(before))}; the run stamps a copy and not this"


@requirement("EVENT-11")
def test_the_plain_form_of_every_kind_survives_json(case: Case) -> None:
    for kind in kinds():
        event = made(case, kind, full(kind))
        for plain in (flat(case, event, kind), *publish(case, kind, event)):
            fault = blemish(plain) or unlike_after_json(plain)
            assert not fault, f"the plain form of {a(kind)} is no plain data: {fault}"


@requirement("EVENT-11")
@pytest.mark.parametrize("what", HOSTILE)
def test_what_is_no_plain_data_is_refused(case: Case, what: str) -> None:
    run = case.run()
    for kind in kinds():
        for field in fields(kind):
            for place, value in placed(field, HOSTILE[what]):
                assert refuses(case, run, kind, {**full(kind), field["name"]: value}), (
                    f"{a(kind)} whose {field['name']} is {what}, {place}, was accepted; it must be refused"
                )


@requirement("EVENT-12")
@pytest.mark.parametrize("keys", [*((key,) for key in FORGED), tuple(FORGED)], ids=" ".join)
def test_the_payload_cannot_say_what_the_envelope_says(case: Case, keys: tuple[str, ...]) -> None:
    forged = {key: FORGED[key] for key in keys}
    for kind in kinds():
        try:
            event = case.event(kind, {**required(kind), **forged})
        except Exception:
            continue  # to refuse it is right as well
        for plain in (flat(case, event, kind), *publish(case, kind, event)):
            taken = [key for key in keys if same(plain.get(key), forged[key])]
            assert not taken, (
                f"the payload of {a(kind)} has set {', '.join(taken)} of its envelope; the plain form is {plain}"
            )


@requirement("EVENT-13")
def test_a_child_is_wrapped_twice_untouched_and_does_not_end_its_parents(case: Case) -> None:
    for kind in kinds():
        inner = publish(case, kind, made(case, kind, full(kind))) or [plain_of(case, kind, full(kind))]
        for wrapped in (inner[0], {**FORGED, **_subagent(inner[0])}):
            published = publish(case, "subagent", made(case, "subagent", _subagent(wrapped)))
            assert published, f"emit refused a subagent that wraps {a(kind)}; a subagent is never terminal"
            got = published[0].get("inner")
            assert same(got, wrapped), (
                f"a subagent was given the inner {wrapped!r} and has {got!r}; it must be untouched"
            )


@requirement("EVENT-13")
def test_a_subagent_that_wraps_a_terminal_cannot_finish_a_run(case: Case) -> None:
    for kind in sorted(case.terminal_kinds):
        run = case.run()
        wrapper = made(case, "subagent", _subagent({**FORGED, "kind": kind, **required(kind)}))
        accepted = case.accepted(partial(run.finish, wrapper))
        assert not accepted, f"finish took a subagent that wraps {a(kind)}; a subagent is never terminal"
        assert not run.is_done, f"a subagent that wraps {a(kind)} has ended the run; a subagent is never terminal"


def _subagent(inner: dict[str, Any]) -> dict[str, Any]:
    return {"agent-id": "a1", "agent-type": "researcher", "inner": inner}


@requirement("EVENT-14", needs="in_process")
def test_changing_what_an_event_was_made_from_changes_no_event(case: Case) -> None:
    for kind in kinds():
        payload = full(kind)
        event = made(case, kind, payload)
        before = payload_of(flat(case, made(case, kind, full(kind)), kind))
        for value in payload.values():
            spoil(value)
        for plain in (flat(case, event, kind), *publish(case, kind, event)):
            after = payload_of(plain)
            assert same(after, before), f"{a(kind)} changed from {before!r} to {after!r} with what it was made from"


@requirement("EVENT-14", needs="in_process")
def test_changing_a_plain_form_changes_no_other(case: Case) -> None:
    for kind in kinds():
        event = made(case, kind, full(kind))
        before = payload_of(flat(case, made(case, kind, full(kind)), kind))
        spoil(case.plain(event))
        for plain in (flat(case, event, kind), *publish(case, kind, event)):
            after = payload_of(plain)
            assert same(after, before), f"the plain form of {a(kind)} changed from {before!r} to {after!r} with another"


@requirement("EVENT-15")
@pytest.mark.parametrize(
    "kind", ["", "event", "Event", "no-such-kind", "token ", "Token", "run_started", "RUN-STARTED"]
)
def test_what_has_no_known_kind_is_neither_emitted_nor_flattened(case: Case, kind: str) -> None:
    try:
        event = case.event(kind, {})
    except Exception:
        return
    _assert_no_event(case, event, f"an event of the kind {kind!r}")


@requirement("EVENT-15", needs="in_process")
def test_the_base_of_all_kinds_is_neither_emitted_nor_flattened(case: Case) -> None:
    base = base_of_all({type(made(case, kind, required(kind))) for kind in kinds()})
    for make in () if base is None else (base, lambda: object.__new__(base)):
        try:
            event = make()
        except Exception:
            continue
        _assert_no_event(case, event, f"an event of class {type(event).__name__}, which all kinds share,")


def _assert_no_event(case: Case, event: Any, what: str) -> None:
    run = case.run()
    case.refused(lambda: run.emit(event), f"{what} which is of no kind,")
    try:
        plain = case.plain(event)
    except Exception:
        return
    raise AssertionError(f"{what} has the plain form {plain!r}; what is of no kind has none")


@requirement("EVENT-16", needs="star_import")
def test_a_star_import_brings_no_kind_under_its_bare_name(case: Case) -> None:
    classes = Counter(type(made(case, kind, required(kind))) for kind in kinds())
    of_one_kind = {each.__name__ for each, count in classes.items() if count == 1}
    bare = sorted(of_one_kind & star_import(module_of_events(case)))
    assert not bare, f"a star import of {event_module(case)} brings {', '.join(bare)} into scope"
