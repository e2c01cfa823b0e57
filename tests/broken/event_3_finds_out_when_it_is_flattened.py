"""that a tool has no name comes out when its event is flattened."""

from collections.abc import Mapping
from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-3",)
SAYS = "its required field name was left out; making it must be an error"


class Broken(Adapter):
    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Any:
        if kind == "tool-started" and payload.get("name") is None:
            return dict(payload)
        return super().make_event(kind, payload)


tck_adapter = Broken
