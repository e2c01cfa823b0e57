"""the base of all kinds can be emitted."""

from typing import Any

from agent_run import events

from tests.broken._adapter import Adapter, TappedRun

BREAKS = ("EVENT-15",)
SAYS = "which all kinds share"


class Careless(TappedRun):
    def emit(self, event: Any) -> bool:
        return True if type(event) is events.Event else super().emit(event)


class Broken(Adapter):
    run_class = Careless


tck_adapter = Broken
