"""an optional field is left out when its value is false, zero or empty."""

from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-6",)
SAYS = "but it must be present"


class Broken(Adapter):
    always = ("usage", "is-error", "collected", "ops", "fallback", "final", "attempts", "seq", "run-id")

    def plain(self, event: Any) -> dict[str, Any]:
        return {key: value for key, value in super().plain(event).items() if value or key in self.always}


tck_adapter = Broken
