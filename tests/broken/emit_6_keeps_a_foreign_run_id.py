"""an event that was published before keeps the run-id it had there."""

import agent_run.run
from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("EMIT-6",)
SAYS = "each must be stamped anew"


right_stamp = agent_run.run.stamp


def stamp(event: events.Event, run_id: str) -> events.Event:
    return right_stamp(event, getattr(event, "run_id", None) or run_id)


agent_run.run.stamp = stamp
Run = RightRun
