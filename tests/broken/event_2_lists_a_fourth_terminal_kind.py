"""the list of terminal kinds has one more than there are."""

from agent_run import events

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-2",)
SAYS = "TERMINAL_KINDS has run-cancelled"

TERMINAL_KINDS = events.TERMINAL_KINDS | {"run-parked"}


class Broken(Adapter):
    event_module = __name__


tck_adapter = Broken
