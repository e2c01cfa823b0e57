"""a lone surrogate becomes a question mark."""

from collections.abc import Mapping
from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-11",)
SAYS = "is a lone surrogate, itself, was accepted"


class Broken(Adapter):
    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Any:
        mended = {key: value.encode(errors="replace").decode() for key, value in payload.items() if type(value) is str}
        return super().make_event(kind, {**payload, **mended})


tck_adapter = Broken
