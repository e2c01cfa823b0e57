"""What was streamed is taken for what was said; the message counts only where nothing was."""

from collections.abc import Mapping
from typing import Any

from agent_run import Renderer as RightRenderer
from agent_run import Run, events

__all__ = ["Renderer", "Run", "events"]

BREAKS = ("VIEW-4", "VIEW-5")
SAYS = "conversation is"


class Renderer(RightRenderer):
    def take(self, record: Mapping[str, Any]) -> None:
        streamed = "".join(self._streaming)
        super().take(record)
        if record["kind"] == "assistant-message" and streamed:
            self._conversation[-1] = streamed
