"""a list without anything in it is left out."""

from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-7",)
SAYS = "lacks ops, always reported"


class Broken(Adapter):
    def plain(self, event: Any) -> dict[str, Any]:
        return {
            key: value for key, value in super().plain(event).items() if value != [] or key not in ("attempts", "ops")
        }


tck_adapter = Broken
