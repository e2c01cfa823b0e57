"""the ts is the moment at which the plain form is taken."""

from datetime import UTC, datetime
from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-9",)
SAYS = "it is the moment of creation and stays"


class Broken(Adapter):
    def plain(self, event: Any) -> dict[str, Any]:
        return {**super().plain(event), "ts": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")}


tck_adapter = Broken
