"""an event has a seq before it is published."""

from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-10",)
SAYS = "an unpublished run-started has seq"


class Broken(Adapter):
    def plain(self, event: Any) -> dict[str, Any]:
        return {"seq": -1, **super().plain(event)}


tck_adapter = Broken
