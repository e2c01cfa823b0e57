"""EVENT, with values of every sort: drawn at random, far away, in disguise, and named like the envelope."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from agent_run_tck.callbacks import Subscriber
from agent_run_tck.case import Case
from agent_run_tck.events.fields import HOLDS_OBJECTS, Payload, a, expected, fields, full, kinds, payload_of, required
from agent_run_tck.events.hostile import FORGED, LOOK_ALIKES, placed
from agent_run_tck.events.moments import FAR_OFF, has_form, local_zone, seconds_from_now, written
from agent_run_tck.events.plain import blemish, same, unlike_after_json
from agent_run_tck.events.strategies import EDGES, INSTANTS, for_all, kinds_with_payloads
from agent_run_tck.suite.made_events import flat, made, plain_of, publish, refuses
from agent_run_tck.suite.marks import requirement
from agent_run_tck.values import spoil

MINUTES = 60.0


@requirement("EVENT-5", patience=3)
def test_any_value_that_is_supplied_comes_out_as_it_is(case: Case, pytestconfig: pytest.Config) -> None:
    def check(drawn: tuple[str, Payload]) -> None:
        kind, payload = drawn
        plain = plain_of(case, kind, payload)
        for key, value in payload.items():
            if value:  # what is null or falsy is the matter of EVENT-6 and EVENT-7
                assert same(plain.get(key), value), f"{key} of {a(kind)} was given {value!r} and is {plain.get(key)!r}"

    for_all(case, pytestconfig, kinds_with_payloads(), check)


@requirement("EVENT-6", patience=3)
def test_just_what_was_supplied_is_present(case: Case, pytestconfig: pytest.Config) -> None:
    def check(drawn: tuple[str, Payload]) -> None:
        kind, payload = drawn
        plain, wanted = plain_of(case, kind, payload), expected(kind, payload)
        for field in fields(kind, "optional"):
            assert (field["name"] in plain) == (field["name"] in wanted), (
                f"the plain form of {a(kind)} made from {payload!r} {_has(field['name'] in plain)} {field['name']}; "
                "what was supplied is present, and nothing else"
            )

    for_all(case, pytestconfig, kinds_with_payloads(), check)


def _has(present: bool) -> str:
    return "has" if present else "lacks"


@requirement("EVENT-8", needs="given_ts", patience=3)
def test_the_ts_has_one_form_at_any_moment(case: Case, pytestconfig: pytest.Config) -> None:
    def check(moment: Any) -> None:
        ts = _plain_at(case, moment).get("ts")
        assert has_form(ts), f"the ts of an event of {moment.isoformat()} is {ts!r}; it must be {written(moment)}"

    for moment in EDGES:
        check(moment)
    for_all(case, pytestconfig, INSTANTS, check)


@requirement("EVENT-9", needs="given_ts", patience=3)
def test_the_ts_is_the_given_moment_in_utc(case: Case, pytestconfig: pytest.Config) -> None:
    def check(moment: Any) -> None:
        ts = _plain_at(case, moment).get("ts")
        # Only the moment is looked at: how it is written is the matter of EVENT-8.
        assert (str(ts)[:19], _microseconds(str(ts))) == (written(moment)[:19], moment.microsecond), (
            f"the ts of an event of {moment.isoformat()} is {ts!r}; in UTC that is {written(moment)}"
        )

    for moment in EDGES:
        check(moment)
    for_all(case, pytestconfig, INSTANTS, check)


def _microseconds(ts: str) -> int:
    """The fraction, with however many digits."""
    digits = re.match(r"\.(\d+)", ts[19:])
    return int(digits[1].ljust(6, "0")[:6]) if digits else 0


def _plain_at(case: Case, moment: Any) -> dict[str, Any]:
    make: Any = case.adapter
    return flat(case, make.make_event_at("log", required("log"), moment), "log")


@requirement("EVENT-9")
def test_the_ts_is_the_present_moment_in_any_local_zone(case: Case) -> None:
    for zone in ("UTC0", FAR_OFF):
        with local_zone(zone):
            ages = {kind: seconds_from_now(str(plain_of(case, kind, required(kind))["ts"])) for kind in kinds()}
        wrong = {kind: age for kind, age in ages.items() if age > 10 * MINUTES}
        assert not wrong, (
            f"made just now, where the local zone is {zone}, these were off by so many seconds: {wrong}; "
            "the ts is the moment of creation, in UTC"
        )


@requirement("EVENT-11", patience=3)
def test_the_plain_form_of_any_payload_survives_json(case: Case, pytestconfig: pytest.Config) -> None:
    def check(drawn: tuple[str, Payload]) -> None:
        kind, payload = drawn
        plain = plain_of(case, kind, payload)
        fault = blemish(plain) or unlike_after_json(plain)
        assert not fault, f"the plain form of {a(kind)} made from {payload!r} is no plain data: {fault}"

    for_all(case, pytestconfig, kinds_with_payloads(), check)


@requirement("EVENT-11")
@pytest.mark.parametrize("what", LOOK_ALIKES)
def test_what_looks_like_plain_data_is_refused_or_becomes_it(case: Case, what: str) -> None:
    run = case.run()
    subscriber = run.tap()
    accepted = [look_alike for look_alike in _look_alikes(what) if not refuses(case, run, *look_alike[:2])]
    case.eventually(lambda: len(subscriber.events) >= len(accepted), "what was accepted is published")
    for (kind, _, name, wanted), plain in zip(accepted, subscriber.events, strict=True):
        fault = blemish(plain) or unlike_after_json(plain)
        assert not fault, f"{name} of {a(kind)} was given {what} and published, and so is no plain data: {fault}"
        assert same(plain.get(name), wanted), (
            f"{name} of {a(kind)} was given {what} and is {plain.get(name)!r}; it must be refused, or be {wanted!r}"
        )


def _look_alikes(what: str) -> Iterator[tuple[str, Payload, str, Any]]:
    """Kinds and payloads that have it somewhere, the field that has it, and the plain data that it stands for."""
    disguised, plain_value = LOOK_ALIKES[what]
    for kind in kinds():
        for field in (field for field in fields(kind) if field["type"] in HOLDS_OBJECTS):
            for (_, given), (_, wanted) in zip(placed(field, disguised), placed(field, plain_value), strict=True):
                yield kind, {**full(kind), field["name"]: given}, field["name"], wanted


@requirement("EVENT-12")
def test_keys_named_like_the_envelope_are_data_inside_a_value(case: Case) -> None:
    value = {**FORGED, "inner": {**FORGED, "inner": [FORGED]}}
    for kind in (kind for kind in kinds() if kind != "subagent"):  # that is the matter of EVENT-13
        for field in (field for field in fields(kind) if field["type"] in HOLDS_OBJECTS):
            event = made(case, kind, {**required(kind), field["name"]: value})
            for plain in (flat(case, event, kind), *publish(case, kind, event)):
                assert same(plain.get(field["name"]), value), (
                    f"{field['name']} of {a(kind)} was given {value!r} and is {plain.get(field['name'])!r}; "
                    "inside a value the names of the envelope are data"
                )
                taken = [key for key in FORGED if same(plain.get(key), FORGED[key])]
                assert not taken, f"{field['name']} of {a(kind)} has set {', '.join(taken)} of the envelope: {plain!r}"


@requirement("EVENT-13", patience=3)
def test_any_plain_form_is_wrapped_at_any_depth_untouched(case: Case, pytestconfig: pytest.Config) -> None:
    def check(drawn: tuple[str, Payload]) -> None:
        kind, payload = drawn
        inner: dict[str, Any] = {**FORGED, "kind": kind, **expected(kind, payload)}
        for depth in range(1, 4):
            plain = plain_of(case, "subagent", {"agent-id": "a1", "agent-type": "researcher", "inner": inner})
            assert same(plain.get("inner"), inner), (
                f"a subagent that wraps {a(kind)}, {depth} deep, was given {inner!r} and has {plain.get('inner')!r}"
            )
            inner = plain

    for_all(case, pytestconfig, kinds_with_payloads(), check)


@requirement("EVENT-14", needs="in_process")
def test_one_subscriber_cannot_change_what_another_is_given(case: Case) -> None:
    for kind in kinds():
        run = case.run()
        one, other = run.tap(), run.tap()
        give = run.finish if kind in case.terminal_kinds else run.emit
        if case.accepted(partial(give, made(case, kind, full(kind)))):
            case.eventually(partial(_both_have_it, one, other), f"both subscribers get the {kind}")
            before = payload_of(flat(case, other.originals[0], kind))
            spoil(one.events[0])
            spoil(case.plain(one.originals[0]))
            after = payload_of(flat(case, other.originals[0], kind))
            assert same(after, before), f"{a(kind)} changed from {before!r} to {after!r} by what another subscriber did"


def _both_have_it(one: Subscriber, other: Subscriber) -> bool:
    return bool(one.events and other.events)
