"""a wrapper of a wrapper is taken apart."""

from collections.abc import Mapping
from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-13",)
SAYS = "was given"


class Broken(Adapter):
    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Any:
        inner = payload.get("inner", {})
        if isinstance(inner, dict) and inner.get("kind") == "subagent" and isinstance(inner.get("inner"), dict):
            payload = {**payload, "inner": inner["inner"]}
        return super().make_event(kind, payload)


tck_adapter = Broken
