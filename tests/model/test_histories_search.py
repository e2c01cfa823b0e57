"""The search judges histories as the model does: against every order, against the model checker, and by hand."""

from __future__ import annotations

import json
import random
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import every_order
import pytest
from agent_run_tck.histories.explain import explain
from agent_run_tck.histories.history import History
from agent_run_tck.histories.search import check
from agent_run_tck.index import requirements
from agent_run_tck.model import contract
from every_order import any_history, first_unexplained, spoilt

TRACES = Path(__file__).resolve().parents[2] / "tla" / "traces"
ROWS = tomllib.loads((TRACES / "broken.toml").read_text(encoding="utf-8"))["trace"]
GOOD = sorted((TRACES / "good").glob("*.jsonl"))


def recorded(path: Path) -> History:
    header, *records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return History(header, records)


def judged(header: dict[str, Any], records: list[dict[str, Any]]) -> int | None:
    verdict = check(History(header, records))
    return None if verdict.allowed else explain(verdict).at


# --- against every order of the calls -----------------------------------------------------------------------------


def test_what_the_model_can_do_is_allowed() -> None:
    histories = [any_history(seed, calls=7) for seed in range(100)]
    assert [seed for seed, history in enumerate(histories) if judged(*history) is not None] == []
    assert sum(len(records) for _, records in histories) > 1000


def test_the_first_record_without_an_order_is_found() -> None:
    wrong = 0
    for seed in range(100):
        header, records = any_history(seed)
        for changed in (spoilt(records, random.Random(f"{seed}/{number}")) for number in range(3)):
            expected = first_unexplained(header, changed)
            wrong += expected is not None
            assert judged(header, changed) == expected, (seed, changed)
    assert 60 < wrong < 240


def test_taps_that_come_and_close_start_where_some_order_lets_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(every_order, "OPERATIONS", ("tap", "tap", "close", "emit", "emit", "finish"))
    wrong = 0
    for seed in range(60):
        header, records = any_history(seed, calls=7)
        changed = spoilt(records, random.Random(seed))
        expected = first_unexplained(header, changed)
        wrong += expected is not None
        assert (judged(header, records), judged(header, changed)) == (None, expected), (seed, changed)
    assert 10 < wrong < 50


# --- against the model checker ------------------------------------------------------------------------------------


def test_every_good_recording_is_allowed() -> None:
    assert [path.name for path in GOOD if not check(recorded(path)).allowed] == []
    assert len(GOOD) > 20


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_a_broken_recording_is_explained_up_to_its_line(row: dict[str, Any]) -> None:
    explanation = explain(check(recorded(TRACES / "broken" / f"{row['name']}.jsonl")))
    assert explanation.at + 2 == row["line"], explanation.sentence
    assert row["requirement"] in explanation.requirements, explanation.sentence
    assert set(explanation.requirements) <= requirements().keys()


FAULTS_OF_THE_ORACLE = {
    "EmitTrue": "EmitFalse",
    "FinishCompletedTrue": "FinishFailedTrue",
    "CancelAccepted": "CancelIgnored",
    "WorkBeginTrue": "WorkBeginFalse",
    "WorkDonePaired": "WorkDoneStray",
    "KeepDrained": "KeepCancellation",
    "HookStart": "HookReturn",
}


@pytest.mark.parametrize("label", FAULTS_OF_THE_ORACLE)
def test_the_verdict_is_that_of_the_model(label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model in which one step is another's no longer allows the good recordings."""
    wrong = {**contract._RUN_ACTIONS, label: contract._RUN_ACTIONS[FAULTS_OF_THE_ORACLE[label]]}
    monkeypatch.setattr(contract, "_RUN_ACTIONS", wrong)
    assert [path.name for path in GOOD if not check(recorded(path)).allowed]


def test_a_model_that_allows_more_lets_a_broken_recording_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    lenient = {**contract._RUN_ACTIONS, "WorkBeginTrue": lambda state: iter([state])}
    broken = recorded(TRACES / "broken" / "a_section_after_the_end.jsonl")
    assert not check(broken).allowed
    monkeypatch.setattr(contract, "_RUN_ACTIONS", lenient)
    assert check(broken).allowed


# --- long ones ----------------------------------------------------------------------------------------------------


def emits(count: int, threads: int) -> Iterator[dict[str, Any]]:
    """Calls of emit that overlap as much as so many threads can, each event handed over as soon as it may be."""
    for start in range(0, count, threads):
        ids = range(start + 1, start + threads + 1)
        yield from ({"thread": f"{id % threads}", "call": "emit", "id": id, "kind": "log"} for id in ids)
        yield from ({"thread": f"{id % threads}", "return": id, "reply": True} for id in reversed(ids))
        for id in reversed(ids):
            seq = start + ids[-1] - id
            yield {"thread": "run", "tap": 1, "handed": seq, "of": id}
            yield {"thread": "run", "tap": 1, "let_go": seq}


def test_the_seq_of_events_orders_a_long_history() -> None:
    """Without the seq, each eight emits that overlap would have 40,320 orders."""
    header = {"hook": False, "threads": True}
    tap = [{"thread": "0", "call": "tap", "id": 100_000, "tap": 1}, {"thread": "0", "return": 100_000, "reply": None}]
    records = [*tap, *emits(2000, 8)]
    verdict = check(History(header, records))
    assert verdict.allowed
    assert len(verdict.ways) == 1
    records[-2] = {**records[-2], "handed": 1998}
    assert judged(header, records) == len(records) - 2
