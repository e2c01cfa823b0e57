"""the event that parks a run says that it is terminal."""

from collections.abc import Mapping
from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-2",)
SAYS = "is_terminal of a run-parked is True; run-parked is not terminal"


class Broken(Adapter):
    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Any:
        event = super().make_event(kind, payload)
        if kind == "run-parked":
            event.__dict__["is_terminal"] = True
        return event


tck_adapter = Broken
