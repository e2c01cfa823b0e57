"""The reference implementation of the agent run contract.

Events are `agent_run.events.Token(text="…")` and so on; their bare names are not exported (EVENT-16).
"""

from agent_run import events
from agent_run.promise import Promise
from agent_run.render import Renderer
from agent_run.run import Run
from agent_run.stream import Events, Tap

__all__ = ["Events", "Promise", "Renderer", "Run", "Tap", "events"]
