"""Moments as the plain form writes them, and a local zone that is certainly not UTC."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

FORM = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z", re.ASCII)
FAR_OFF = "XXX-05:30"  # a zone of POSIX, which needs no database: 5:30 hours east of UTC


def has_form(ts: Any) -> bool:
    """Whether `ts` is written as the contract has it; that there is such a day is not looked at."""
    return isinstance(ts, str) and FORM.fullmatch(ts) is not None


def written(moment: datetime) -> str:
    """The moment as the plain form has to write it."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def seconds_from_now(ts: str) -> float:
    """How far from now the date and time in `ts` is, taken for UTC; what is no date is infinitely far."""
    try:
        moment = datetime.fromisoformat(ts[:19]).replace(tzinfo=UTC)
        return abs((moment - datetime.now(UTC)).total_seconds())
    except ValueError:
        return float("inf")


@contextmanager
def local_zone(zone: str) -> Iterator[None]:
    """Have this process live in another zone, where the platform can do that.

    It holds for all threads and not for other processes. Not to be nested.
    """
    before = os.environ.get("TZ")
    _set_zone(zone)
    try:
        yield
    finally:
        _set_zone(before)


def _set_zone(zone: str | None) -> None:
    if zone is None:
        os.environ.pop("TZ", None)
    else:
        os.environ["TZ"] = zone
    if hasattr(time, "tzset"):
        time.tzset()
