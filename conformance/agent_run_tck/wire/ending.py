"""Hooks of pytest that end the ports: each after its last check, and all of them with the run, however that ends."""

from typing import Any

import pytest

from agent_run_tck.protocol import Implementation
from agent_run_tck.wire.adapter import ExecAdapter
from agent_run_tck.wire.child import kill_all


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """After the last check of a port, have it end itself; how it does is the last thing that it is judged by."""
    adapter, following = _adapter(item), _adapter(nextitem)
    if isinstance(adapter, ExecAdapter) and adapter is not following:
        adapter.end()


def _adapter(item: pytest.Item | None) -> Any:
    callspec = getattr(item, "callspec", None)
    implementation = callspec.params.get("implementation") if callspec is not None else None
    return implementation.adapter if isinstance(implementation, Implementation) else None


def pytest_keyboard_interrupt() -> None:
    kill_all()  # nobody is left to wait for what blocks in a port


def pytest_unconfigure() -> None:
    kill_all()
