"""a year of the first millennium has as many digits as it needs."""

from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-8", "EVENT-9")
SAYS = "the ts of an event of"


class Broken(Adapter):
    def plain(self, event: Any) -> dict[str, Any]:
        plain = super().plain(event)
        return {**plain, "ts": plain["ts"].lstrip("0")}


tck_adapter = Broken
