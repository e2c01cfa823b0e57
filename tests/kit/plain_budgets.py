"""A plugin for pytest: no wait is scaled, for a fault that hangs for a while has to hang longer than a wait."""

from agent_run_tck.budgets import Budgets

Budgets.scaled = lambda budgets, *measured: budgets
