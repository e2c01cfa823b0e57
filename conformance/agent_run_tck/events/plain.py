"""Plain data as a judge sees it: what it is, when two are the same, and what only looks like it."""

import json
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

LEAVES = (str, int, float, bool, type(None))


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same plain data: numbers by value, as JSON has them, and a boolean is no number."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other or _same_double(one, other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, str) and isinstance(other, str):
        return one == other
    return one is None and other is None


def blemish(value: Any) -> str:
    """Why the value is no plain data, "" where it is."""
    if type(value) is dict:
        odd = [key for key in value if type(key) is not str]
        return f"the key {odd[0]!r} is no string" if odd else _first_blemish([*value, *value.values()])
    if type(value) is list:
        return _first_blemish(value)
    if type(value) not in LEAVES:
        return f"it holds an object of class {type(value).__name__}"
    if isinstance(value, float) and not math.isfinite(value):
        return f"it holds {value}, which JSON does not have"
    return _blemish_of_text(value) if isinstance(value, str) else ""


def unlike_after_json(plain: Any) -> str:
    """How the value differs from what comes back when it is written as JSON and read again; "" where it does not."""
    try:
        back = json.loads(json.dumps(plain, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        return f"JSON cannot write it: {error}"
    return "" if same(back, plain) else f"JSON gives back {back!r}"


def _same_double(one: float, other: float) -> bool:
    """JSON may have a large double without its exponent, with zeros for the last digits: then it looks like an int."""
    if isinstance(one, float) == isinstance(other, float):
        return False
    whole, double = (other, one) if isinstance(one, float) else (one, other)
    return math.isfinite(double) and Decimal(repr(double)) == whole


def _first_blemish(values: Any) -> str:
    return next(filter(None, map(blemish, values)), "")


def _blemish_of_text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return f"the string {text!a} has no UTF-8 form"
    return ""
