"""Making events from payloads, stamping copies of them, and copying and pickling them."""

import copy
import pickle
from datetime import UTC, datetime
from types import MappingProxyType

import pytest
from agent_run.events import make, stamp
from hypothesis import given
from plain_data import unhurried
from taxonomy_cases import published, records_made


class Text(str):
    pass


@pytest.mark.parametrize(
    ("kind", "payload", "error", "message"),
    [
        ("nonsense", {}, ValueError, "'nonsense' is not a kind of event; use one of run-started, .*, run-cancelled"),
        ("token", None, TypeError, "token: the payload is an object of class NoneType; give a dict"),
        ("token", MappingProxyType({}), TypeError, "token: the payload is an object of class mappingproxy; give"),
        ("token", {Text("text"): ""}, TypeError, "token: unknown key: an object of class Text; its keys are"),
        ("tool-call", {"id": "1"}, TypeError, "tool-call: missing key: name; give each of id, name"),
    ],
)
def test_make_says_what_is_wrong(kind, payload, error, message):
    with pytest.raises(error, match=message):
        make(kind, payload)


def test_make_takes_the_envelope_too():
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    plain = make("token", {"text": "hi"}, moment, "run-1", 4).plain()
    assert plain == {"kind": "token", "ts": "2026-01-01T00:00:00.000000Z", "run-id": "run-1", "seq": 4, "text": "hi"}


@unhurried
@given(records_made())
def test_stamp_leaves_the_event_and_replaces_a_foreign_envelope(made):
    event = made[2]
    before = event.plain()
    first, second = published(event, "run-1", 0), published(published(event, "other", 9), "run-2", 5)
    assert event.plain() == before
    assert (first.run_id, first.seq, second.run_id, second.seq) == ("run-1", 0, "run-2", 5)
    assert first.plain() == before | {"run-id": "run-1", "seq": 0}
    assert stamp(second, "run-3").seq is None


@unhurried
@given(records_made())
def test_events_can_be_copied_and_pickled(made):
    for event in (made[2], published(made[2])):
        for twin in (copy.copy(event), copy.deepcopy(event), pickle.loads(pickle.dumps(event))):
            assert type(twin) is type(event)
            assert twin.plain() == event.plain()
