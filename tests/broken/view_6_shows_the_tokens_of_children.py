"""The words of a child are shown in the middle of its parent's sentence."""

from collections.abc import Mapping
from typing import Any

from agent_run import Renderer as RightRenderer
from agent_run import Run, events

__all__ = ["Renderer", "Run", "events"]

BREAKS = ("VIEW-6",)
SAYS = "streaming is"


class Renderer(RightRenderer):
    def take(self, record: Mapping[str, Any]) -> None:
        super().take(record)
        if record["kind"] == "subagent" and record["inner"]["kind"] == "token":
            self._streaming.append(record["inner"]["text"])
