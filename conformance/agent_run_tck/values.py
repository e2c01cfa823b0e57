"""Values as the contract compares them: plain data, in whatever containers an implementation hands it out."""

import json
import operator
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast


def data(value: Any) -> Any:
    """A copy of `value` in dicts and lists: read-only maps and tuples are as right as those (RESULT-9)."""
    if isinstance(value, Mapping):
        return {key: data(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [data(item) for item in value]
    return value


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same plain data; unlike `==`, it tells false from 0."""
    return _text(one) == _text(other)


def spoil(value: Any) -> None:
    """Change `value` at every depth, as far as it lets itself be changed."""
    if isinstance(value, Mapping):
        for item in value.values():
            spoil(item)
        with suppress(Exception):  # what cannot be changed is right as well
            operator.setitem(cast(Any, value), "spoilt", True)
    if isinstance(value, list | tuple):
        for item in value:
            spoil(item)
        with suppress(Exception):
            cast(Any, value).append("spoilt")


def _text(value: Any) -> str:
    return json.dumps(data(value), sort_keys=True, default=repr)
