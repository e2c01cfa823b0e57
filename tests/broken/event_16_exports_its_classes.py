"""a star import brings Log and Token into scope."""

from agent_run.events import Log, Token

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-16",)
SAYS = "brings Log, Token into scope"

__all__ = ["Log", "Token"]


class Broken(Adapter):
    event_module = __name__


tck_adapter = Broken
