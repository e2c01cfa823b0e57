"""only the limits that are known today are taken."""

from collections.abc import Mapping
from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-4",)
SAYS = "the payload is right, so the event must be made"


class Broken(Adapter):
    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Any:
        if kind == "limit-reached" and payload["limit"] not in ("tool-rounds", "tool-calls", "identical-calls"):
            raise ValueError(f"{payload['limit']} is no known limit")
        return super().make_event(kind, payload)


tck_adapter = Broken
