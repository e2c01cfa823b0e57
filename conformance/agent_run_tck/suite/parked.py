"""Runs with a callback that stands at the gate `park`."""

from collections.abc import Callable
from typing import Any

from agent_run_tck.case import Case
from agent_run_tck.driven import DrivenRun
from agent_run_tck.steering import Task
from agent_run_tck.steps import wait

Park = Callable[[Case], tuple[DrivenRun, Task[Any]]]
"""Makes a run and leads it to the gate; returns the run, and the operation that did it.

The operation is on a thread of its own, as the callback may hold it up: a hook does, a continuation may.
"""


def in_a_subscriber(case: Case) -> tuple[DrivenRun, Task[Any]]:
    run = case.run()
    run.tap({0: [wait("park")]})
    return run, case.start(run.emit, "emitter")


def in_its_hook(case: Case) -> tuple[DrivenRun, Task[Any]]:
    run = case.run(on_cancel=case.callback(wait("park"), name="hook"))
    return run, case.start(run.cancel, "canceller")


def in_a_continuation(case: Case) -> tuple[DrivenRun, Task[Any]]:
    run = case.run()
    run.result.then(wait("park"))
    return run, case.start(run.finish, "finisher")


PARKED = (in_a_subscriber, in_its_hook, in_a_continuation)


def spoken(park: Park) -> str:
    return park.__name__.replace("_", " ")
