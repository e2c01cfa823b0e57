"""Hypothesis strategies made from `spec/events.toml`, and a way to try what they draw in a check."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from agent_run_tck.case import Case
from agent_run_tck.events.fields import ENVELOPE, Field, Payload, fields, kinds

T = TypeVar("T")
EXAMPLES_FOR_A_PROGRAM = 4  # a payload is made so much faster than a program of the model is run

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
INTEGERS = st.integers(-(2**53) + 1, 2**53 - 1)
NUMBERS = INTEGERS | st.floats(allow_nan=False, allow_infinity=False)
KEYS = st.sampled_from(ENVELOPE) | TEXT
PLAIN = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)
OBJECTS = st.dictionaries(KEYS, PLAIN, max_size=4)
BY_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "integer": INTEGERS,
    "number": NUMBERS,
    "boolean": st.booleans(),
    "string": TEXT,
    "object": OBJECTS,
    "message object": OBJECTS,
    "array": st.lists(PLAIN, max_size=4),
    "string or object": TEXT | OBJECTS,
    "any": PLAIN,
}


def values(field: Field) -> st.SearchStrategy[Any]:
    """What the field admits; null too, where it stands for not supplied."""
    admitted = st.sampled_from(field["values"]) if "values" in field else BY_TYPE[field["type"]]
    return st.none() | admitted if field["presence"] == "optional" else admitted


def payloads(kind: str) -> st.SearchStrategy[Payload]:
    """Any payload that an event of the kind can be made from."""
    required = {field["name"]: values(field) for field in fields(kind, "required")}
    others = {field["name"]: values(field) for field in fields(kind) if field["presence"] != "required"}
    return st.fixed_dictionaries(required, optional=others)


def kinds_with_payloads() -> st.SearchStrategy[tuple[str, Payload]]:
    """Any kind with any payload of it."""
    return st.sampled_from(kinds()).flatmap(lambda kind: payloads(kind).map(lambda payload: (kind, payload)))


ZONES: st.SearchStrategy[tzinfo] = st.sampled_from(
    [
        UTC,
        timezone(timedelta(hours=5, minutes=30)),
        timezone(timedelta(hours=-11)),
        timezone(timedelta(hours=14)),
        timezone(timedelta(minutes=-1)),
    ]
)
_MOMENTS = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29), timezones=ZONES)
INSTANTS = _MOMENTS | _MOMENTS.map(lambda moment: moment.replace(microsecond=0))
"""Moments of every age and zone, whole seconds among them."""

EDGES = (
    datetime(2026, 8, 9, 13, 10, 8, 0, UTC),
    datetime(2026, 8, 9, 13, 10, 8, 7, UTC),
    datetime(2026, 8, 9, 13, 10, 8, 542000, UTC),
    datetime(2026, 8, 9, 13, 10, 8, 999999, UTC),
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(1969, 12, 31, 23, 59, 59, 999999, UTC),
    datetime(2000, 2, 29, 23, 59, 59, 500000, UTC),
    datetime(2262, 4, 11, 23, 47, 16, 854776, UTC),
    datetime(1, 1, 1, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, 999999, UTC),
    datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=5, minutes=30))),
    datetime(2025, 12, 31, 23, 30, tzinfo=timezone(timedelta(hours=-11))),
    datetime(2026, 3, 29, 2, 30, 0, 1, tzinfo=timezone(timedelta(hours=1))),
)
"""Whole seconds, both sides of the epoch, ends of the calendar and of common clocks, days that another zone moves."""


def for_all(case: Case, config: pytest.Config, drawn: st.SearchStrategy[T], check: Callable[[T], None]) -> None:
    """Try the check with what is drawn, as often as the budget says; always the same, unless a seed is given.

    A failure shrinks to the smallest example, which is the last that the history shows.
    """

    @settings(
        max_examples=EXAMPLES_FOR_A_PROGRAM * case.budgets.examples,
        deadline=None,
        database=None,
        derandomize=config.getoption("hypothesis_seed", None) is None,
        print_blob=False,
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(drawn)
    def try_it(example: T) -> None:
        case.history.clear()
        case.note(f"tried with {example!r}")
        check(example)

    try_it()
