"""A plugin for pytest: the deep budget explores each scenario for two seconds instead of minutes."""

from agent_run_tck.budgets import BUDGETS
from attrs import evolve

BUDGETS["deep"] = evolve(BUDGETS["deep"], schedules=2.0)
