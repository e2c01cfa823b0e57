"""the plain form says the class as well."""

from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-5",)
SAYS = "which is nothing that it may have"


class Broken(Adapter):
    def plain(self, event: Any) -> dict[str, Any]:
        return {**super().plain(event), "class": type(event).__name__}


tck_adapter = Broken
