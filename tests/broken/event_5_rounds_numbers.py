"""a number loses its fraction."""

from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-5",)
SAYS = "2.5 was supplied"


class Broken(Adapter):
    def plain(self, event: Any) -> dict[str, Any]:
        return {key: int(value) if type(value) is float else value for key, value in super().plain(event).items()}


tck_adapter = Broken
