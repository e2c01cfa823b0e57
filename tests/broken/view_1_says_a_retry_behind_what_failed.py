"""A failed attempt is hidden and not forgotten: the tokens of the retry come behind it."""

from collections.abc import Mapping
from typing import Any

from agent_run import Renderer as RightRenderer
from agent_run import Run, events

__all__ = ["Renderer", "Run", "events"]

BREAKS = ("VIEW-1",)
SAYS = "after the token, which is the last of"


class Renderer(RightRenderer):
    def take(self, record: Mapping[str, Any]) -> None:
        if record["kind"] == "attempt-failed":
            self._failed = list(self._streaming)
        super().take(record)
        if record["kind"] == "token" and self._streaming:
            self._streaming[:0] = self.__dict__.pop("_failed", [])
