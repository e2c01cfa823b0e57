"""a run-id that is the empty string is left out."""

from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-10",)
SAYS = "it must have the run-id"


class Broken(Adapter):
    def plain(self, event: Any) -> dict[str, Any]:
        return {key: value for key, value in super().plain(event).items() if key != "run-id" or value}


tck_adapter = Broken
