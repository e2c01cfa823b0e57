"""a run can be finished with a subagent that wraps a terminal."""

from typing import Any

from agent_run import events

from tests.broken._adapter import Adapter, TappedRun

BREAKS = ("EVENT-13",)
SAYS = "finish took a subagent that wraps a run-cancelled"


class Ending(TappedRun):
    def finish(self, terminal: Any, **outcome: Any) -> bool:
        if terminal.kind == "subagent" and terminal.inner.get("kind") in events.TERMINAL_KINDS:
            terminal = events.RunCompleted()
        return super().finish(terminal, **outcome)


class Broken(Adapter):
    run_class = Ending


tck_adapter = Broken
