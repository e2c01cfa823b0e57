"""zeros at the end of the fraction are left out, and no moment can be given."""

from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-8",)
SAYS = "it must have the form of"


class Broken(Adapter):
    capabilities = {"events": True}

    def plain(self, event: Any) -> dict[str, Any]:
        plain = super().plain(event)
        return {**plain, "ts": plain["ts"].rstrip("0Z") + "Z"}


tck_adapter = Broken
