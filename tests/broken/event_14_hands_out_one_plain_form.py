"""everybody who asks gets the same plain form."""

from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-14",)
SAYS = "with another"


class Broken(Adapter):
    def plain(self, event: Any) -> dict[str, Any]:
        kept: dict[str, Any] = event.__dict__.setdefault(f"plain with seq {event.seq}", super().plain(event))
        return kept


tck_adapter = Broken
