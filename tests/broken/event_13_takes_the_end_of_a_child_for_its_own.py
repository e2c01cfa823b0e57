"""a subagent that wraps a terminal is not emitted."""

from typing import Any

from tests.broken._adapter import Adapter, TappedRun

BREAKS = ("EVENT-13",)
SAYS = "a subagent is never terminal"


class Ending(TappedRun):
    def emit(self, event: Any) -> bool:
        if event.kind == "subagent" and event.inner.get("kind") in ("run-completed", "run-failed", "run-cancelled"):
            raise ValueError("that is a terminal; finish the run")
        return super().emit(event)


class Broken(Adapter):
    run_class = Ending


tck_adapter = Broken
