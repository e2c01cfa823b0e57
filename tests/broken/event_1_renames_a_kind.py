"""one kind has another kind string in its plain form."""

from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-1",)
SAYS = "the plain form of a tool-abandoned has the kind"


class Broken(Adapter):
    def plain(self, event: Any) -> dict[str, Any]:
        plain = super().plain(event)
        return {**plain, "kind": "tool-cancelled"} if plain["kind"] == "tool-abandoned" else plain


tck_adapter = Broken
