"""a seq in the payload goes over that of the envelope."""

from collections.abc import Mapping
from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-12",)
SAYS = "has set seq of its envelope"


class Broken(Adapter):
    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Any:
        payload = dict(payload)
        forged = {key: payload.pop(key) for key in ("seq",) if key in payload}
        event = super().make_event(kind, payload)
        event.__dict__["forged"] = forged
        return event

    def plain(self, event: Any) -> dict[str, Any]:
        return {**super().plain(event), **event.__dict__.get("forged", {})}


tck_adapter = Broken
