"""Where the driver gives no error or reason, the result has what the terminal says of it (decision 9)."""

from typing import Any

from agent_run import Run as ReferenceRun
from agent_run import events
from agent_run.events import Event

__all__ = ["Run", "events"]


class Run(ReferenceRun):
    def finish(self, terminal: Event, **outcome: Any) -> bool:
        said = terminal.plain() if isinstance(terminal, Event) else {}
        found = {name: said[name] for name in ("error", "reason") if name in said}
        return super().finish(terminal, **{**found, **outcome})
