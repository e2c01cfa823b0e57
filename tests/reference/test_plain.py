"""Plain data: what freeze accepts, what it refuses and how it says so, and that no foreign code runs."""

import json
from collections import OrderedDict, UserDict
from datetime import UTC, datetime
from decimal import Decimal
from enum import IntEnum
from types import MappingProxyType

import pytest
from agent_run.plain import DEEPEST, LARGEST_INT, class_name, freeze, thaw
from hypothesis import given
from plain_data import PLAIN, Nosy, touched_by, unhurried


class Level(IntEnum):
    LOW = 1


class Name(str):
    pass


def nested(levels: int) -> object:
    value: object = "core"
    for _ in range(levels):
        value = [value]
    return value


def cyclic() -> dict[str, object]:
    value: dict[str, object] = {}
    value["self"] = [value]
    return value


@unhurried
@given(PLAIN)
def test_plain_data_survives_freeze_and_json(value: object) -> None:
    copy = thaw(freeze(value))
    assert copy == value
    assert json.loads(json.dumps(copy, allow_nan=False)) == value
    assert repr(json.loads(json.dumps(copy))) == repr(value)  # tells True from 1 and -0.0 from 0.0


def test_tuple_becomes_array() -> None:
    assert thaw(freeze((1, (2,)))) == [1, [2]]


@pytest.mark.parametrize("value", [0, LARGEST_INT, -LARGEST_INT, 0.0, -0.0, 5e-324, "", "\U0001f600", "\0", [], {}])
def test_edge_of_plain_data_is_accepted(value: object) -> None:
    assert repr(thaw(freeze(value))) == repr(value)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ({"a": [1, 2, float("nan")]}, ValueError, "payload.a[2]: NaN is not plain data"),
        (float("inf"), ValueError, "payload: an infinity is not plain data"),
        ([float("-inf")], ValueError, "payload[0]: an infinity is not plain data"),
        ({"a b": "\ud800"}, ValueError, "payload['a b']: a lone surrogate is not plain data"),
        ({"ok": {"x\udfff": 1}}, ValueError, "payload.ok['x\\udfff']: a lone surrogate is not plain data"),
        ({"error-status": LARGEST_INT + 1}, ValueError, "payload.error-status: an int beyond 2**53 - 1"),
        (-LARGEST_INT - 1, ValueError, "payload: an int beyond 2**53 - 1"),
        (nested(DEEPEST + 1), ValueError, "payload: nested deeper than 100 levels"),
        (cyclic(), ValueError, "payload: nested deeper than 100 levels"),
        ({"a": {1: 2}}, TypeError, "payload.a: a key of class int is not plain data"),
        ({None: 1}, TypeError, "payload: a key of class NoneType is not plain data"),
        ({Name("a"): 1}, TypeError, "payload: a key of class Name is not plain data"),
        ({"a": Name("b")}, TypeError, "payload.a: an object of class Name is not plain data"),
        ([Level.LOW], TypeError, "payload[0]: an object of class Level is not plain data"),
        (Decimal(1), TypeError, "payload: an object of class Decimal is not plain data"),
        (OrderedDict(), TypeError, "payload: an object of class OrderedDict is not plain data"),
        (UserDict(), TypeError, "payload: an object of class UserDict is not plain data"),
        (MappingProxyType({}), TypeError, "payload: an object of class mappingproxy is not plain data"),
        (b"raw", TypeError, "payload: an object of class bytes is not plain data"),
        ({1}, TypeError, "payload: an object of class set is not plain data"),
        (datetime.now(UTC), TypeError, "payload: an object of class datetime is not plain data"),
        (ValueError("boom"), TypeError, "payload: an object of class ValueError is not plain data"),
    ],
)
def test_refusal_names_the_path(value: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as refusal:
        freeze(value, "payload")
    text = str(refusal.value)
    assert text.startswith(message)
    assert text.isascii()
    assert "; " in text, "the message says what to do"


def test_deepest_nesting_is_accepted() -> None:
    assert thaw(freeze(nested(DEEPEST))) == nested(DEEPEST)


@pytest.mark.parametrize("place", [lambda it: it, lambda it: [it], lambda it: {"a": it}])
def test_foreign_object_is_refused_unasked(place) -> None:
    touched, refusal = touched_by(lambda it: freeze(place(it)))
    assert touched == []
    assert "an object of class Nosy is not plain data" in refusal


def test_class_name_runs_no_metaclass() -> None:
    assert class_name(Nosy()) == "Nosy"
    assert touched_by(class_name) == ([], "not refused")


def test_frozen_copy_is_read_only_and_independent() -> None:
    source = {"list": [1], "dict": {"a": 1}}
    frozen = freeze(source)
    source["list"].append(2)
    source["dict"]["b"] = 2
    assert thaw(frozen) == {"list": [1], "dict": {"a": 1}}
    with pytest.raises(TypeError, match="does not support item assignment"):
        frozen["new"] = 1
    with pytest.raises(TypeError, match="does not support item assignment"):
        frozen["list"][0] = 5


def test_each_thaw_is_a_copy_of_its_own() -> None:
    frozen = freeze({"list": [{}]})
    first = thaw(frozen)
    first["list"][0]["x"] = 1
    assert thaw(frozen) == {"list": [{}]}
