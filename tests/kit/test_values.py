"""Values are compared as plain data, whatever containers hold them."""

import copy
from enum import Enum
from types import MappingProxyType
from typing import Any

import pytest
from agent_run_tck.events.plain import same
from agent_run_tck.values import data, spoil, word


class Status(str, Enum):  # noqa: UP042 - the text of a StrEnum is its value
    KEPT = "kept"


@pytest.mark.parametrize(("status", "expected"), [("kept", "kept"), (Status.KEPT, "kept"), ("done", "done"), (1, "1")])
def test_a_status_is_the_word_that_it_equals(status: Any, expected: str) -> None:
    assert word(status) == expected


def test_read_only_containers_are_the_same_data_as_dicts_and_lists() -> None:
    frozen = MappingProxyType({"messages": ({"n": 0}, ())})
    assert data(frozen) == {"messages": [{"n": 0}, []]}
    assert same(frozen, {"messages": [{"n": 0}, []]})


@pytest.mark.parametrize(("one", "other"), [(False, 0), (None, "None"), ("", None), ([], {}), ({"a": None}, {})])
def test_what_looks_alike_is_not_the_same(one: Any, other: Any) -> None:
    assert not same(one, other)


@pytest.mark.parametrize("value", [{}, [], {"a": [1]}, [{"a": []}], {"a": {"b": {}}}])
def test_spoiling_changes_a_value(value: Any) -> None:
    before = copy.deepcopy(value)
    spoil(value)
    assert not same(value, before)


def test_spoiling_reaches_every_depth() -> None:
    inner: list[Any] = []
    spoil(({"a": MappingProxyType({"b": inner})},))
    assert inner


@pytest.mark.parametrize("value", [(), (1, "a"), MappingProxyType({"a": ()}), "text", 1, None])
def test_spoiling_leaves_alone_what_cannot_be_changed(value: Any) -> None:
    before = data(value)
    spoil(value)
    assert same(value, before)
