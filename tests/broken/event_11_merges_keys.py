"""keys that are no strings become strings, and may fall together."""

import json
from collections.abc import Mapping
from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-11",)
SAYS = "is a key that is a number, itself, was accepted"


class Broken(Adapter):
    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Any:
        return super().make_event(kind, {key: json.loads(json.dumps(value)) for key, value in payload.items()})


tck_adapter = Broken
