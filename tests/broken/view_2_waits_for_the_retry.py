"""What a failed attempt has said stays on the screen until the next attempt starts."""

from collections.abc import Mapping
from typing import Any

from agent_run import Renderer as RightRenderer
from agent_run import Run, events

__all__ = ["Renderer", "Run", "events"]

BREAKS = ("VIEW-2",)
SAYS = "after the attempt-failed, which is the last of"


class Renderer(RightRenderer):
    def take(self, record: Mapping[str, Any]) -> None:
        if record["kind"] != "attempt-failed":
            super().take(record)
