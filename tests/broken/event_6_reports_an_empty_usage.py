"""a failed attempt reports a usage of which nothing is known."""

from collections.abc import Mapping
from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-6",)
SAYS = "counts as not supplied"


class Broken(Adapter):
    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Any:
        event = super().make_event(kind, payload)
        event.__dict__["empty"] = [key for key in ("usage",) if kind == "attempt-failed" and payload.get(key) == {}]
        return event

    def plain(self, event: Any) -> dict[str, Any]:
        return {**super().plain(event), **{key: {} for key in event.__dict__.get("empty", ())}}


tck_adapter = Broken
