"""Where foreign code (subscribers, hooks, continuations) runs: shielded, and all but hooks on threads of its own."""

import contextlib
import logging
import os
import threading
from collections import deque
from collections.abc import Callable

LINGER_SECONDS = 0.5
Task = Callable[[], None]
log = logging.getLogger("agent_run")


class Crew:
    """A daemon thread for each task of the moment. With a bound, what is parked would hold up other runs (ISO-1)."""

    def __init__(self) -> None:
        self._wake = threading.Condition(threading.Lock())
        self._tasks: deque[Task] = deque()
        self._idle = 0

    def start(self, task: Task) -> None:
        """Run `task` on another thread. Raises RuntimeError, and takes it not, when no thread is to be had."""
        with self._wake:
            if len(self._tasks) >= self._idle:
                threading.Thread(target=self._work, name="agent-run", daemon=True).start()
            self._wake.notify()  # first: what raises must not have taken the task
            self._tasks.append(task)

    def _work(self) -> None:
        while (task := self._next()) is not None:
            task()
            del task  # an idle thread must not keep a finished run alive (ISO-3)

    def _next(self) -> Task | None:
        with self._wake:
            self._idle += 1
            self._wake.wait_for(lambda: self._tasks, LINGER_SECONDS)
            self._idle -= 1
            return self._tasks.popleft() if self._tasks else None


crew = Crew()

if hasattr(os, "register_at_fork"):  # the threads stay behind in the parent, so the child must not count on them
    os.register_at_fork(after_in_child=lambda: vars(crew).update(vars(Crew())))


def shielded(what: str, call: Callable[..., object], *args: object) -> None:
    """Call foreign code; whatever it raises, SystemExit and the like included, is logged and goes no further."""
    try:
        call(*args)
    except BaseException:
        with contextlib.suppress(BaseException):  # a logging handler is foreign code as well
            log.warning("%s raised; the run goes on without it", what, exc_info=True)
