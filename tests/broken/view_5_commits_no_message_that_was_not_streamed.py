"""A message of which no token was seen is not shown."""

from collections.abc import Mapping
from typing import Any

from agent_run import Renderer as RightRenderer
from agent_run import Run, events

__all__ = ["Renderer", "Run", "events"]

BREAKS = ("VIEW-5", "VIEW-4")
SAYS = "without the tokens of the stream"


class Renderer(RightRenderer):
    def take(self, record: Mapping[str, Any]) -> None:
        streamed = bool(self._streaming)
        super().take(record)
        if record["kind"] == "assistant-message" and not streamed:
            self._conversation.pop()
