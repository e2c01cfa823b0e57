"""null is taken for the empty text."""

from collections.abc import Mapping
from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-3",)
SAYS = "its required field text was null"


class Broken(Adapter):
    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Any:
        if payload.get("text", "") is None:
            payload = {**payload, "text": ""}
        return super().make_event(kind, payload)


tck_adapter = Broken
