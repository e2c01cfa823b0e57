"""What the checks of events are made of: payloads that combine, an oracle for the plain form, plain data, moments."""

import os
import re
import time
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import attrs
import pytest
from agent_run.events import make
from agent_run_tck.events.fields import combinations, expected, fields, full, kinds, payload_of, required
from agent_run_tck.events.hostile import HOSTILE, LOOK_ALIKES, placed
from agent_run_tck.events.moments import FAR_OFF, has_form, local_zone, seconds_from_now, written
from agent_run_tck.events.plain import blemish, same, unlike_after_json
from agent_run_tck.events.strategies import EDGES, INSTANTS, kinds_with_payloads
from agent_run_tck.loading import CannotLoad, load
from agent_run_tck.protocol import Capabilities
from agent_run_tck.selection import CannotSelect, selection
from hypothesis import given, settings

from tests.kit.suite_run import ROOT, run_suite

ADAPTER = """\
from agent_run import Run, events

class Adapter:
    capabilities = {capabilities}

    def create_run(self, run_id=None, on_cancel=None):
        run = Run(run_id, on_cancel)
        run.tap = run.events.tap
        return run

    def make_event(self, kind, payload):
        return events.make(kind, dict(payload))

    def plain(self, event):
        return event.plain()

tck_adapter = Adapter
"""
unhurried = settings(deadline=None, database=None, derandomize=True, max_examples=50)


@pytest.mark.parametrize("kind", kinds())
def test_payloads_combine_in_every_way(kind: str) -> None:
    found = list(combinations(kind))
    others = len(fields(kind)) - len(fields(kind, "required"))
    assert len(found) == len({tuple(sorted(payload)) for payload in found}) == 2**others
    assert required(kind) in found
    assert full(kind) in found


def test_samples_are_new_each_time() -> None:
    full("log")["data"]["key"] = "spoilt"
    assert full("log")["data"] == {"key": "value"}


@unhurried
@given(kinds_with_payloads())
def test_what_is_drawn_can_be_made_and_is_as_expected(drawn: tuple[str, dict[str, Any]]) -> None:
    kind, payload = drawn
    assert same(payload_of(make(kind, payload).plain()), expected(kind, payload))


def test_what_is_expected() -> None:
    given_nulls: dict[str, Any] = {"id": "c", "content": "", "artifact": {}, "name": None, "is-error": None}
    assert expected("tool-result", given_nulls) == {"id": "c", "content": "", "is-error": False}
    assert expected("compaction-done", {"dropped": 0}) == {"dropped": 0, "fallback": False}
    assert expected("run-failed", {"error": "", "attempts": []}) == {"error": "", "attempts": []}


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (1, 1.0, True),
        (0, False, False),
        (1, True, False),
        (None, None, True),
        (None, "", False),
        ("a", "a", True),
        ((1, [2]), [1, (2,)], True),
        ([1], [1, 2], False),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ({"a": 1}, {"b": 1}, False),
        ([], {}, False),
        ("1", 1, False),
    ],
)
def test_same_plain_data(one: object, other: object, alike: bool) -> None:
    assert same(one, other) is same(other, one) is alike


@pytest.mark.parametrize("what", [what for what in HOSTILE if not what.endswith("holds itself")])
def test_what_is_hostile_is_no_plain_data_wherever_it_stands(what: str) -> None:
    for _, value in placed({"type": "any"}, HOSTILE[what]):
        assert blemish(value)


@pytest.mark.parametrize("what", LOOK_ALIKES)
def test_a_look_alike_stands_for_plain_data(what: str) -> None:
    assert blemish(LOOK_ALIKES[what][1]) == ""
    assert unlike_after_json(LOOK_ALIKES[what][1]) == ""


@pytest.mark.parametrize("value", [{1: "a"}, float("nan"), {"a": {1}}, HOSTILE["a list that holds itself"]])
def test_json_that_does_not_come_back(value: object) -> None:
    assert unlike_after_json(value)


@unhurried
@given(INSTANTS)
def test_a_moment_is_written_in_the_one_form(moment: datetime) -> None:
    assert has_form(written(moment))
    assert datetime.fromisoformat(written(moment)) == moment


def test_edges_of_time_are_told_apart() -> None:
    assert len({written(moment) for moment in EDGES}) == len(EDGES)
    assert written(datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=5.5)))) == "2025-12-31T18:30:00.000000Z"


@pytest.mark.parametrize("ts", [None, 1.5, "", "2026-08-09T13:10:08Z", "2026-08-09T13:10:08.542283Z\n", "2026-8-9"])
def test_what_is_no_ts(ts: object) -> None:
    assert not has_form(ts)


def test_a_local_zone_comes_and_goes() -> None:
    before = os.environ.get("TZ"), time.localtime(0)[:5]
    with local_zone(FAR_OFF):
        assert time.localtime(0)[:5] == (1970, 1, 1, 5, 30)
        assert seconds_from_now(written(datetime.now(UTC))) < 3600
        assert seconds_from_now(datetime.now().isoformat()) > 3600
    assert (os.environ.get("TZ"), time.localtime(0)[:5]) == before
    assert seconds_from_now("no time at all") == float("inf")


def test_profiles_and_requirements_select() -> None:
    both = selection(["EVENT-1", "CANCEL-6"], ["events, run"])
    assert (both.takes("EVENT-1"), both.takes("EVENT-2"), both.takes(None)) == (True, False, False)
    handle = selection(None, ["run"])
    assert (handle.takes("CANCEL-6"), handle.takes("EVENT-1"), handle.takes(None)) == (True, False, True)
    assert all(selection(None, None).takes(id) for id in ("CANCEL-6", "EVENT-1", None))


@pytest.mark.parametrize(
    ("profile", "says"),
    [
        ("runs", "--profile=runs: there is no such profile; choose from run, events"),
        ("stream", "--profile=stream: this is checked on transcripts of runs; use agent-run-tck lint FILE"),
        ("run,,events", "--profile=: there is no such profile"),
    ],
)
def test_a_profile_that_selects_nothing_is_named(profile: str, says: str) -> None:
    with pytest.raises(CannotSelect) as refusal:
        selection(None, [profile])
    assert str(refusal.value).startswith(says)


def test_the_capabilities_are_those_that_the_spec_explains() -> None:
    explained = re.findall(r"^\| `(\w+)` \| ", (ROOT / "spec" / "README.md").read_text(), re.MULTILINE)
    nobody_declares = {"in_process"}
    assert {field.name for field in attrs.fields(Capabilities)} - set(explained) == nobody_declares


def test_a_module_with_the_names_of_the_reference_claims_the_profile() -> None:
    found = load("agent_run").capabilities
    assert (found.events, found.given_ts, found.star_import) == (True, True, True)


@pytest.mark.parametrize(("capability", "operation"), [("given_ts", "make_event_at"), ("star_import", "event_module")])
def test_a_capability_without_what_it_stands_for_is_refused(
    capability: str, operation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = f"claims_{capability}"
    (tmp_path / f"{name}.py").write_text(ADAPTER.format(capabilities={capability: True}))
    with pytest.raises(CannotLoad, match=f"declares {capability}, lacks {operation}"):
        load(name)


def test_an_adapter_that_does_not_claim_the_profile_is_not_judged_by_it(tmp_path: Path) -> None:
    (tmp_path / "silent.py").write_text("from claims import Adapter\nclass tck_adapter(Adapter): capabilities = {}\n")
    (tmp_path / "claims.py").write_text(ADAPTER.format(capabilities={"events": True}))
    (tmp_path / "modest.py").write_text("from agent_run import Run, events\ncapabilities = {'events': False}")
    specs = ("--impl=claims", "--impl=modest", "--requirement=EVENT-1", "--requirement=EVENT-13")
    run = run_suite("silent", tmp_path, *specs, cwd=tmp_path)
    assert run.exit_status == 0, run.output
    assert run.output.count("EVENT    not applicable 1 13\n") == 2
    assert run.output.count("EVENT    passed 1 13\n") == 1
