"""the plain form holds the very lists, maps and tuples that the event was made from."""

from collections.abc import Mapping
from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-14", "EVENT-11")
SAYS = "with what it was made from"


class Broken(Adapter):
    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Any:
        event = super().make_event(kind, payload)
        event.__dict__["given"] = payload
        return event

    def plain(self, event: Any) -> dict[str, Any]:
        given = event.__dict__.get("given", {})
        return {key: given.get(key, value) for key, value in super().plain(event).items()}


tck_adapter = Broken
