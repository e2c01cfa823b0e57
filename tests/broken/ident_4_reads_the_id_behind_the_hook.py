"""Reading the id waits for a hook that is running."""

import threading
from collections.abc import Callable
from typing import Any

from agent_run import Run as RightRun
from agent_run import events

__all__ = ["Run", "events"]

BREAKS = ("IDENT-4",)
SAYS = "did not come back"


class Run:
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        self._busy = threading.RLock()
        self._hook = on_cancel
        self._run = RightRun(run_id, self._call_the_hook)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run, name)

    @property
    def id(self) -> str:
        with self._busy:
            return self._run.id

    def _call_the_hook(self) -> None:
        with self._busy:
            if self._hook is not None:
                self._hook()
