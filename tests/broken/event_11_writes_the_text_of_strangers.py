"""what is no plain data is turned into text."""

from collections.abc import Mapping
from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-11",)
SAYS = "was accepted; it must be refused"


def as_text(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | float | dict | list | tuple) else str(value)


class Broken(Adapter):
    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Any:
        return super().make_event(kind, {key: as_text(value) for key, value in payload.items()})


tck_adapter = Broken
