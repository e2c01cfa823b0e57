"""What a hook calls on another run waits for that run's hook, while its own run's hook is held."""

import threading
from collections.abc import Callable

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("LEAF-4",)
SAYS = "callbacks_of_two_runs"


class Run(RightRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel and self._held(on_cancel))
        self._hook_lock = threading.Lock()

    def _held(self, hook: Callable[[], object]) -> Callable[[], None]:
        def held() -> None:
            with self._hook_lock:
                hooks.running = (*running(), self)
                hook()
                hooks.running = running()[:-1]

        return held

    def work_begin(self) -> bool:
        if not running() or self in running():
            return super().work_begin()
        with self._hook_lock:
            return super().work_begin()


hooks = threading.local()


def running() -> tuple[Run, ...]:
    return getattr(hooks, "running", ())
