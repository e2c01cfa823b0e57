"""A token that does not say to which attempt it belongs is taken for nobody's."""

from collections.abc import Mapping
from typing import Any

from agent_run import Renderer as RightRenderer
from agent_run import Run, events

__all__ = ["Renderer", "Run", "events"]

BREAKS = ("VIEW-1",)
SAYS = "after the token, which is the last of"


class Renderer(RightRenderer):
    def take(self, record: Mapping[str, Any]) -> None:
        if record["kind"] != "token" or "attempt" in record:
            super().take(record)
