"""an event of a kind that there is not is taken for a line of the log."""

from collections.abc import Mapping
from typing import Any

from agent_run import events

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-15",)
SAYS = "which is of no kind"


class Broken(Adapter):
    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Any:
        if kind not in events.KINDS:
            return super().make_event("log", {"level": "info", "data": kind})
        return super().make_event(kind, payload)


tck_adapter = Broken
