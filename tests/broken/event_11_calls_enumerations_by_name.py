"""a member of an enumeration of integers becomes its name."""

import enum
from collections.abc import Mapping
from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-11",)
SAYS = "was given an enumeration of integers and is"


def named(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return value.name
    if type(value) is dict:
        return {key: named(item) for key, item in value.items()}
    return [named(item) for item in value] if type(value) is list else value


class Broken(Adapter):
    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Any:
        return super().make_event(kind, named(dict(payload)))


tck_adapter = Broken
