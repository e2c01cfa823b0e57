"""UTC is written as an offset."""

from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-8",)
SAYS = "it must have the form of"


class Broken(Adapter):
    def plain(self, event: Any) -> dict[str, Any]:
        plain = super().plain(event)
        return {**plain, "ts": plain["ts"].replace("Z", "+00:00")}


tck_adapter = Broken
