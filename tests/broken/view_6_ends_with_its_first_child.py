"""The terminal of a child is taken for the run's own."""

from collections.abc import Mapping
from typing import Any

from agent_run import Renderer as RightRenderer
from agent_run import Run, events

__all__ = ["Renderer", "Run", "events"]

BREAKS = ("VIEW-6",)
SAYS = "ended is"


class Renderer(RightRenderer):
    def take(self, record: Mapping[str, Any]) -> None:
        super().take(record)
        if record["kind"] == "subagent" and record["inner"]["kind"] in events.TERMINAL_KINDS:
            self._ended = record["inner"]["kind"]
