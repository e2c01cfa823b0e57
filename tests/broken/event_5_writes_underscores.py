"""the index of the backend is under its name in the language."""

from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-5", "EVENT-6")
SAYS = "lacks 'backend-index'"


class Broken(Adapter):
    def plain(self, event: Any) -> dict[str, Any]:
        return {key.replace("backend-index", "backend_index"): value for key, value in super().plain(event).items()}


tck_adapter = Broken
