"""a flag that is always reported is there only when it is true."""

from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-7",)
SAYS = "lacks is-error, always reported"
FLAGS = ("is-error", "collected", "fallback")


class Broken(Adapter):
    def plain(self, event: Any) -> dict[str, Any]:
        return {key: value for key, value in super().plain(event).items() if value is not False or key not in FLAGS}


tck_adapter = Broken
