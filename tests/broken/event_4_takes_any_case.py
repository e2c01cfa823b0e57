"""the values of a closed set are taken in capitals as well."""

from collections.abc import Mapping
from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-4",)
SAYS = "is no disposition"


class Broken(Adapter):
    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Any:
        closed = {key: str(payload[key]).lower() for key in ("disposition",) if key in payload}
        return super().make_event(kind, {**payload, **closed})


tck_adapter = Broken
