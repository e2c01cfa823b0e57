"""a moment of another zone is taken for UTC."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-9",)
SAYS = "in UTC that is"


class Broken(Adapter):
    def make_event_at(self, kind: str, payload: Mapping[str, Any], ts: datetime) -> Any:
        return super().make_event_at(kind, payload, ts.replace(tzinfo=UTC))


tck_adapter = Broken
