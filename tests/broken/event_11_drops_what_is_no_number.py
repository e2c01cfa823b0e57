"""NaN counts as not supplied."""

from collections.abc import Mapping
from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-11",)
SAYS = "is NaN, itself, was accepted"


class Broken(Adapter):
    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Any:
        return super().make_event(kind, {key: value for key, value in payload.items() if value == value})


tck_adapter = Broken
