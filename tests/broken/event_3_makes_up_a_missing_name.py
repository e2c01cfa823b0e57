"""a tool without a name gets an empty one."""

from collections.abc import Mapping
from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-3",)
SAYS = "its required field name was left out"


class Broken(Adapter):
    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Any:
        return super().make_event(kind, {"name": "", **payload} if kind == "tool-started" else payload)


tck_adapter = Broken
