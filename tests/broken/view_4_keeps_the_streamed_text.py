"""The message is put below the streamed text and not in its place."""

from collections.abc import Mapping
from typing import Any

from agent_run import Renderer as RightRenderer
from agent_run import Run, events

__all__ = ["Renderer", "Run", "events"]

BREAKS = ("VIEW-4",)
SAYS = "after the assistant-message, which is the last of"


class Renderer(RightRenderer):
    def take(self, record: Mapping[str, Any]) -> None:
        streamed = list(self._streaming)
        super().take(record)
        if record["kind"] == "assistant-message":
            self._streaming = streamed
