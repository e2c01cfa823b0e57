"""An adapter for a run that lives on an asyncio loop; the kit runs it on a loop of its own, in a thread of its own.

    pytest --pyargs agent_run_tck --impl=./adapter.py

All of the run is called on that loop: methods or coroutine methods, as you like. What is still to do raises ToDo, which
says what to write; spec/ports.md of the contract says in which order.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from agent_run_tck.asyncio_adapter import AsyncioAdapter


class ToDo(BaseException):
    """No Exception, so that no check takes it for an error that your run is right to raise."""


class Run:
    """One run. A run of yours that has these names itself takes its place."""

    id = "write __init__: take run_id as the id, or a fresh one if that is None"
    is_done = False
    is_cancelled = False

    def __init__(self, run_id: str | None, on_cancel: Callable[[], object] | None) -> None:
        loop = asyncio.get_running_loop()  # a promise is a future, looks like one, or is awaitable
        self.result, self.cancellation, self.drained = loop.create_future(), loop.create_future(), loop.create_future()

    def emit(self, event: Any) -> bool:
        raise ToDo("write emit: accept the event and return True; return False once the run is finished")

    def finish(self, event: Any, **outcome: Any) -> bool:
        raise ToDo("write finish: end the run with the event, and return whether this was the first finish")

    def work_begin(self) -> bool:
        raise ToDo("write work_begin: open a work section, and return whether the run was open")

    def work_done(self) -> None:
        raise ToDo("write work_done: close a work section")

    def cancel(self) -> None:
        raise ToDo("write cancel: keep the cancellation and then call on_cancel, the first time, on an open run")

    def tap(
        self,
        on_event: Callable[[Any], object],
        on_done: Callable[[], object],
        on_quit: Callable[[BaseException], object],
    ) -> Any:
        raise ToDo("write tap: subscribe, and return something with close()")


def make_event(kind: str, payload: Mapping[str, Any]) -> Any:
    """An event of yours. The payload has wire names, such as message-count; what is missing in it is an error."""
    return {"kind": kind, **payload}


def plain(event: Any) -> dict[str, Any]:
    raise ToDo("write plain: return kind, ts and the payload, and run-id and seq once the event is published")


def tck_adapter() -> AsyncioAdapter:
    return AsyncioAdapter(Run, make_event, plain, name="my run")
