"""the run-id of a child is replaced by that of its parent."""

from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-13",)
SAYS = "it must be untouched"


class Broken(Adapter):
    def plain(self, event: Any) -> dict[str, Any]:
        plain = super().plain(event)
        if "run-id" in plain and "run-id" in plain.get("inner", {}):
            plain["inner"] = {**plain["inner"], "run-id": plain["run-id"]}
        return plain


tck_adapter = Broken
