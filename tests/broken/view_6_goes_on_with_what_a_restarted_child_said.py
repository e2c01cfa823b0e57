"""A child that was restarted is shown behind what it had said before it died."""

from collections.abc import Mapping
from typing import Any

from agent_run import Renderer as RightRenderer
from agent_run import Run, events

__all__ = ["Renderer", "Run", "events"]

BREAKS = ("VIEW-6",)
SAYS = "children is"


class Renderer(RightRenderer):
    def take(self, record: Mapping[str, Any]) -> None:
        if record["kind"] == "subagent" and record["agent-id"] in self._children:
            self._children[record["agent-id"]]._run_id = record["inner"]["run-id"]
        super().take(record)
