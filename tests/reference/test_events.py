"""The 29 events against spec/events.toml: the cases are built from the facts there, never repeated here."""

import json
import re
from datetime import UTC, datetime, timedelta, timezone

import attrs
import pytest
from agent_run import events
from agent_run.events import KINDS, TERMINAL_KINDS, Event, make, stamp
from hypothesis import given
from hypothesis import strategies as st
from plain_data import touched_by, unhurried
from taxonomy_cases import (
    EMPTY,
    RECORDS,
    SAMPLES,
    TAXONOMY,
    admitted,
    attribute,
    each_field,
    each_kind,
    good,
    payload_of,
    published,
    records_made,
    required,
    with_defaults,
)


def test_event_1_kinds_and_classes_are_those_of_the_taxonomy():
    assert [(cls.kind, cls.__name__) for cls in KINDS.values()] == [(r["kind"], r["class"]) for r in RECORDS]
    assert list(KINDS) == [record["kind"] for record in RECORDS]
    assert all(getattr(events, record["class"]) is KINDS[record["kind"]] for record in RECORDS)
    assert len(KINDS) == 29


@each_kind
def test_event_1_fields_are_those_of_the_taxonomy(record):
    fields = [field.name for field in attrs.fields(KINDS[record["kind"]])]
    assert fields == ["ts", "run_id", "seq"] + [attribute(field["name"]) for field in record["fields"]]


def test_event_2_exactly_three_kinds_are_terminal():
    assert set(TAXONOMY["terminal"]) == TERMINAL_KINDS
    made = [make(record["kind"], required(record)) for record in RECORDS]
    assert {event.kind for event in made if event.is_terminal} == TERMINAL_KINDS
    assert all(type(event.is_terminal) is bool for event in made)


@each_field(lambda field: field["presence"] == "required")
def test_event_3_required_field_cannot_be_left_out(record, field):
    payload = required(record)
    del payload[field["name"]]
    with pytest.raises(TypeError, match=f"{record['kind']}: missing key: {field['name']}; give"):
        make(record["kind"], payload)
    with pytest.raises(TypeError, match=f"missing .*'{attribute(field['name'])}'"):
        KINDS[record["kind"]](**{attribute(wire): value for wire, value in payload.items()})


@each_field(lambda field: True)
def test_event_3_field_takes_exactly_its_type(record, field):
    right = admitted(field) | ({"null"} if field["presence"] == "optional" else set())
    expected = field["type"].removeprefix("message ") + (" or null" if field["presence"] == "optional" else "")
    for name, value in SAMPLES.items():
        payload = required(record) | {field["name"]: value}
        if name not in right:
            with pytest.raises(
                TypeError, match=rf"^{record['kind']}\.{field['name']}: expected {expected}, got {name}$"
            ):
                make(record["kind"], payload)
        elif not field.get("closed"):
            assert payload_of(make(record["kind"], payload)).get(field["name"]) == value


@each_field(lambda field: "values" in field)
def test_event_4_closed_values_are_closed_and_known_ones_are_not(record, field):
    for value in field["values"]:
        event = make(record["kind"], required(record) | {field["name"]: value})
        assert event.plain()[field["name"]] == value
    for stranger in ("stranger", "", field["values"][0].upper()):
        payload = required(record) | {field["name"]: stranger}
        everything = "use one of " + ", ".join(field["values"])
        if field["closed"]:
            with pytest.raises(
                ValueError, match=rf"{record['kind']}\.{field['name']}: '{stranger}' is not .* {everything}$"
            ):
                make(record["kind"], payload)
        else:
            assert make(record["kind"], payload).plain()[field["name"]] == stranger


@each_kind
def test_event_5_plain_form_has_kind_ts_and_wire_names(record):
    payload = {field["name"]: good(field) for field in record["fields"]}
    plain = KINDS[record["kind"]](**{attribute(wire): value for wire, value in payload.items()}).plain()
    assert list(plain) == ["kind", "ts", *payload]
    assert plain["kind"] == record["kind"]
    assert payload == {wire: plain[wire] for wire in payload}


@each_kind
def test_event_6_optional_field_not_supplied_or_null_is_absent(record):
    nulls = {field["name"]: None for field in record["fields"] if field["presence"] == "optional"}
    for supplied in ({}, nulls):
        assert payload_of(make(record["kind"], required(record) | supplied)) == with_defaults(record)


@each_field(lambda field: not field.get("closed"))
def test_event_6_falsy_value_is_present(record, field):
    for name in admitted(field) - {"null"}:
        payload = payload_of(make(record["kind"], required(record) | {field["name"]: EMPTY[name]}))
        if field.get("empty") == "omitted":
            assert field["name"] not in payload
        else:
            assert repr(payload[field["name"]]) == repr(EMPTY[name])


@each_field(lambda field: field["presence"] == "always")
def test_event_7_default_is_always_reported(record, field):
    plain = make(record["kind"], required(record)).plain()
    assert repr(plain[field["name"]]) == repr(field["default"])


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2026, 8, 9, 13, 10, 8, 542283, UTC), "2026-08-09T13:10:08.542283Z"),
        (datetime(2026, 8, 9, 13, 10, 8, 0, UTC), "2026-08-09T13:10:08.000000Z"),
        (datetime(2026, 8, 9, 13, 10, 8, 7, UTC), "2026-08-09T13:10:08.000007Z"),
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00.000000Z"),
        (datetime(9999, 12, 31, 23, 59, 59, 999999, UTC), "9999-12-31T23:59:59.999999Z"),
        (datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=5, minutes=30))), "2025-12-31T18:30:00.000000Z"),
        (datetime(2026, 1, 1, tzinfo=timezone(timedelta(seconds=-1))), "2026-01-01T00:00:01.000000Z"),
    ],
)
def test_event_8_ts_is_utc_with_six_digits(moment, text):
    event = events.Token(text="", ts=moment)
    assert event.plain()["ts"] == text
    assert event.ts == moment
    assert event.ts.tzinfo is UTC


@unhurried
@given(st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.timezones()))
def test_event_8_ts_reads_back_as_the_same_moment(moment):
    text = events.Token(text="", ts=moment).plain()["ts"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", text)
    assert datetime.fromisoformat(text) == moment.astimezone(UTC)


def test_event_9_ts_is_the_moment_of_creation():
    before = datetime.now(UTC)
    event = events.Token(text="")
    assert before <= event.ts <= datetime.now(UTC)
    assert published(event).ts == event.ts


@pytest.mark.parametrize(
    ("moment", "error", "message"),
    [
        (datetime(2026, 1, 1), ValueError, "ts: the datetime has no time zone; give an aware one"),
        (datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1))), ValueError, "ts: the moment lies outside"),
        (1767225600.0, TypeError, "ts: an object of class float is no datetime; give"),
        (None, TypeError, "ts: an object of class NoneType is no datetime; give"),
    ],
)
def test_event_9_bad_ts_is_refused(moment, error, message):
    with pytest.raises(error, match=message):
        events.Token(text="", ts=moment)


@each_kind
def test_event_10_envelope_appears_with_publication(record):
    event = make(record["kind"], required(record))
    assert not {"run-id", "seq"} & set(event.plain())
    plain = published(event, "", 0).plain()
    assert list(plain)[:4] == ["kind", "ts", "run-id", "seq"]
    assert (plain["run-id"], plain["seq"]) == ("", 0)
    assert not {"run-id", "seq"} & set(event.plain())


@pytest.mark.parametrize(
    ("envelope", "error", "message"),
    [
        ({"run_id": "r"}, ValueError, "run_id and seq belong together"),
        ({"seq": 0}, ValueError, "run_id and seq belong together"),
        ({"run_id": "r", "seq": -1}, ValueError, "event.seq: a seq is never negative"),
        ({"run_id": "r", "seq": True}, TypeError, "event.seq: expected integer or null, got boolean"),
        ({"run_id": 1, "seq": 0}, TypeError, "event.run-id: expected string or null, got integer"),
        ({"run_id": "\ud800", "seq": 0}, ValueError, "event.run-id: a lone surrogate is not plain data"),
    ],
)
def test_event_10_bad_envelope_is_refused(envelope, error, message):
    with pytest.raises(error, match=message):
        events.Token(text="", **envelope)


@unhurried
@given(records_made())
def test_event_11_json_round_trip(made):
    record, payload, event = made
    plain = published(event, "run-1", 7).plain()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    json.dumps(plain, ensure_ascii=False).encode()
    omitted = {field["name"] for field in record["fields"] if field.get("empty") == "omitted"}
    given_keys = {key: value for key, value in payload.items() if value is not None and (value or key not in omitted)}
    defaults = {f["name"]: f["default"] for f in record["fields"] if f["presence"] == "always"}
    assert payload_of(event) == defaults | given_keys


@each_field(lambda field: admitted(field) & {"object", "array"})
@pytest.mark.parametrize(
    ("bad", "error"),
    [(float("nan"), ValueError), ("\udc00", ValueError), ({1: 2}, TypeError), (b"raw", TypeError)],
    ids=["NaN", "surrogate", "key", "foreign"],
)
def test_event_11_containers_are_checked_to_the_bottom(record, field, bad, error):
    container = {"deep": [bad]} if "object" in admitted(field) else [{"deep": [bad]}]
    step = "" if "object" in admitted(field) else r"\[0\]"
    with pytest.raises(error, match=rf"^{record['kind']}\.{field['name']}{step}\.deep\[0\]: .* is not plain data; "):
        make(record["kind"], required(record) | {field["name"]: container})


@each_field(lambda field: admitted(field) & {"string", "number", "integer"})
def test_event_11_scalars_are_checked(record, field):
    for bad, error in ((2**53, ValueError), (float("inf"), ValueError), ("\ud800", ValueError), (b"raw", TypeError)):
        with pytest.raises(error, match=rf"^{record['kind']}\.{field['name']}: .* is not plain data; "):
            make(record["kind"], required(record) | {field["name"]: bad})


@pytest.mark.parametrize("key", ["kind", "ts", "run-id", "seq", "run_id", "nonsense", 1])
def test_event_12_payload_cannot_name_the_envelope(key):
    with pytest.raises(TypeError, match=r"token: unknown key: .*; its keys are text, round, attempt"):
        make("token", {"text": "", key: "forged"})


def test_event_12_nested_envelope_keys_stay_in_their_place():
    forged = {"kind": "run-completed", "ts": "never", "run-id": "forged", "seq": -7}
    plain = published(events.Log(level="info", data=forged), "run-1", 3).plain()
    assert plain["data"] == forged
    assert (plain["kind"], plain["run-id"], plain["seq"]) == ("log", "run-1", 3)


@each_kind
def test_event_13_subagent_wraps_untouched_and_is_never_terminal(record):
    child = published(make(record["kind"], required(record)), "child", 5).plain()
    once = published(events.Subagent(agent_id="a", agent_type="t", inner=child), "parent", 0)
    twice = events.Subagent(agent_id="b", agent_type="t", inner=once.plain())
    assert once.plain()["inner"] == child
    assert twice.plain()["inner"]["inner"] == child
    assert not once.is_terminal
    assert not twice.is_terminal


def test_event_14_source_and_snapshot_are_independent_of_the_event():
    source = {"a": [{"b": 1}]}
    event = events.Log(level="info", data=source)
    source["a"][0]["b"] = 2
    snapshot = published(event).plain()
    snapshot["data"]["a"].append(3)
    snapshot["kind"] = "forged"
    assert published(event).plain()["data"] == event.plain()["data"] == {"a": [{"b": 1}]}
    assert event.plain()["kind"] == "log"


def test_event_14_default_containers_are_not_shared():
    first = events.AttemptSucceeded(round=1, attempt=1, backend_index=0).plain()
    first["usage"]["tokens"] = 1
    assert events.AttemptSucceeded(round=1, attempt=1, backend_index=0).plain()["usage"] == {}


@each_kind
def test_event_14_events_are_immutable(record):
    event = make(record["kind"], required(record))
    for name in ("ts", "seq", *[attribute(field["name"]) for field in record["fields"]]):
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            setattr(event, name, 1)


class Derived(events.Token):
    pass


class Bare(Event):
    pass


@pytest.mark.parametrize("cls", [Event, Derived, Bare])
def test_event_15_only_the_kinds_can_be_made_flattened_or_stamped(cls):
    arguments = {"text": ""} if cls is Derived else {}
    message = f"an object of class {cls.__name__} is no event of the taxonomy; make one of its 29 kinds"
    with pytest.raises(TypeError, match=message):
        cls(**arguments)
    for operation in (cls.plain, lambda event: stamp(event, "r")):
        with pytest.raises(TypeError, match=message):
            operation(object.__new__(cls))


@pytest.mark.parametrize("stranger", [None, "token", {"kind": "token"}, events.Token])
def test_event_15_what_is_no_event_is_not_stamped(stranger):
    with pytest.raises(TypeError, match="is no event of the taxonomy"):
        stamp(stranger, "r")


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda it: stamp(it, "r"), "an object of class Nosy is no event of the taxonomy"),
        (lambda it: stamp(type(it), "r"), "an object of class NosyMeta is no event of the taxonomy"),
        (lambda it: make(it, {}), "an object of class Nosy is not a kind of event"),
        (lambda it: make("token", it), "token: the payload is an object of class Nosy"),
        (lambda it: make("token", {"text": it}), "token.text: an object of class Nosy is not plain data"),
        (lambda it: events.Log(level="info", data={"a": it}), "log.data.a: an object of class Nosy is not"),
        (lambda it: events.TurnDiscarded(reason=it), "turn-discarded.reason: an object of class Nosy is not"),
        (lambda it: events.Token(text="", ts=it), "ts: an object of class Nosy is no datetime"),
        (lambda it: events.Token(text="", run_id=it, seq=0), "event.run-id: an object of class Nosy is not"),
    ],
)
def test_event_11_foreign_object_is_refused_unasked(use, message):
    touched, refusal = touched_by(use)
    assert touched == []
    assert refusal.startswith(message)
    assert "; " in refusal, "the message says what to do"


@pytest.mark.parametrize("module", ["agent_run", "agent_run.events"])
def test_event_16_star_import_brings_no_bare_class_name(module):
    scope = {}
    exec(f"from {module} import *", scope)
    assert not {record["class"] for record in RECORDS} & set(scope)
    assert len(scope) > 1, "something was imported"
