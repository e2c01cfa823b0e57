"""A call that was abandoned after dispatch is shown as failed."""

from collections.abc import Mapping
from typing import Any

from agent_run import Renderer as RightRenderer
from agent_run import Run, events

__all__ = ["Renderer", "Run", "events"]

BREAKS = ("VIEW-7",)
SAYS = 'it must be {"c1": "unknown"'


class Renderer(RightRenderer):
    def take(self, record: Mapping[str, Any]) -> None:
        super().take(record)
        if record["kind"] == "tool-abandoned" and record["dispatched"]:
            self._calls[record["id"]] = "failed"
