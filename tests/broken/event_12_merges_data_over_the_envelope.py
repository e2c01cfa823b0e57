"""what a log says in its data goes over its envelope."""

from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-12",)
SAYS = "of the envelope"


class Broken(Adapter):
    def plain(self, event: Any) -> dict[str, Any]:
        plain = super().plain(event)
        data = plain.get("data")
        return {**plain, **{key: data[key] for key in ("ts", "run-id") if isinstance(data, dict) and key in data}}


tck_adapter = Broken
