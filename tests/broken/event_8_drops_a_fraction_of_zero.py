"""a whole second has no fraction."""

from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-8",)
SAYS = "it must be 2026-08-09T13:10:08.000000Z"


class Broken(Adapter):
    def plain(self, event: Any) -> dict[str, Any]:
        return {**super().plain(event), "ts": event.ts.replace(tzinfo=None).isoformat() + "Z"}


tck_adapter = Broken
