"""A discarded turn stays on the screen when its answer was streamed in full."""

from collections.abc import Mapping
from typing import Any

from agent_run import Renderer as RightRenderer
from agent_run import Run, events

__all__ = ["Renderer", "Run", "events"]

BREAKS = ("VIEW-3",)
SAYS = "after the turn-discarded, which is the last of"


class Renderer(RightRenderer):
    def take(self, record: Mapping[str, Any]) -> None:
        if record["kind"] != "turn-discarded" or not self.__dict__.pop("_answered", False):
            super().take(record)
        if record["kind"] in ("attempt-started", "attempt-succeeded"):
            self._answered = record["kind"] == "attempt-succeeded"
