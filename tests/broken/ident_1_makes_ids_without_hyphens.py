"""The id that a run makes for itself is 32 digits, not a UUID in canonical form."""

import uuid
from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("IDENT-1",)
SAYS = "it must be a UUID of version 4 in canonical text form"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(uuid.uuid4().hex if run_id is None else run_id, on_cancel)
