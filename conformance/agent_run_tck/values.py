"""Values as the contract compares them: plain data, in whatever containers an implementation hands it out."""

import operator
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast

STATUSES = ("planned", "kept", "broken")


def data(value: Any) -> Any:
    """A copy of `value` in dicts and lists: read-only maps and tuples are as right as those (RESULT-9)."""
    if isinstance(value, Mapping):
        return {key: data(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [data(item) for item in value]
    return value


def word(status: Any) -> str:
    """The status as the word that it equals: an enumeration of strings is right, and its text is another one."""
    return next((known for known in STATUSES if status == known), str(status))


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
