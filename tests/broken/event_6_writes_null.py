"""a token without a round has the round null."""

from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-6",)
SAYS = "has round"


class Broken(Adapter):
    def plain(self, event: Any) -> dict[str, Any]:
        plain = super().plain(event)
        return {"round": None, **plain} if plain["kind"] == "token" else plain


tck_adapter = Broken
