"""An adapter: your run under the names that the suite of the agent run contract calls.

    pytest --pyargs agent_run_tck --impl=./adapter.py

The suite asks from many threads at once. What is still to do raises ToDo, which says what to write; spec/ports.md of
the contract says in which order. protocol.py of the kit has all the types.
"""

from collections.abc import Callable, Mapping
from typing import Any


class ToDo(BaseException):
    """No Exception, so that no check takes it for an error that your run is right to raise."""


class Adapter:
    name = "my run"  # what the report calls it
    version = ""
    capabilities = {"threads": True}  # a declared capability binds

    def create_run(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> "Handle":
        return Handle(run_id, on_cancel)

    def make_event(self, kind: str, payload: Mapping[str, Any]) -> Any:
        """An event of yours. The payload has wire names, such as message-count; what is missing in it is an error."""
        return {"kind": kind, **payload}

    def plain(self, event: Any) -> dict[str, Any]:
        raise ToDo("write plain: return kind, ts and the payload, and run-id and seq once the event is published")


class Promise:
    """One of the three promises."""

    status = "planned"  # or "kept"; "broken" is wrong

    @property
    def value(self) -> Any:
        raise ToDo("write value: return the value of the promise once it is kept")

    def then(self, continuation: Callable[[Any], object]) -> None:
        raise ToDo("write then: have continuation(value) called once, whether the promise is kept already or later")


class Handle:
    """One run. A run of yours that has these names itself needs no handle: let create_run return it."""

    id = "write __init__: make a run of yours, with run_id as its id or a fresh one for None, and show the id here"
    is_done = False
    is_cancelled = False

    def __init__(self, run_id: str | None, on_cancel: Callable[[], object] | None) -> None:
        self.result = Promise()
        self.cancellation = Promise()
        self.drained = Promise()

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


tck_adapter = Adapter  # the name that the suite looks for
