"""the local time gets a Z."""

from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-9",)
SAYS = "where the local zone is"


class Broken(Adapter):
    def plain(self, event: Any) -> dict[str, Any]:
        local = event.ts.astimezone().replace(tzinfo=None)
        return {**super().plain(event), "ts": local.isoformat(timespec="microseconds") + "Z"}


tck_adapter = Broken
