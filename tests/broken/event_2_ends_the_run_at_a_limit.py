"""a limit that is reached is taken for the end of the run."""

from typing import Any

from tests.broken._adapter import Adapter, TappedRun

BREAKS = ("EVENT-2",)
SAYS = "a limit-reached was refused by emit"


class Ending(TappedRun):
    def emit(self, event: Any) -> bool:
        if event.kind == "limit-reached":
            raise ValueError("a limit ends the run; finish it")
        return super().emit(event)


class Broken(Adapter):
    run_class = Ending


tck_adapter = Broken
