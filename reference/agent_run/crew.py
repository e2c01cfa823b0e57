"""Where foreign code runs: on threads of its own, and shielded.

Foreign code is whatever the user hands in: subscribers, hooks, continuations. It may block for ever and raise anything.
"""

import contextlib
import logging
import os
import threading
from collections import deque
from collections.abc import Callable

LINGER_SECONDS = 0.5

log = logging.getLogger("agent_run")

Task = Callable[[], None]


class Crew:
    """As many daemon threads as there are tasks at the moment; none when there is nothing to do.

    A thread that has finished a task waits a little for the next one, so that a burst of events does not pay for a thread
    of its own. The number has no bound: with one, parked subscribers of some runs would hold up other runs (ISO-1).
    """

    def __init__(self) -> None:
        self.forget_threads()

    def forget_threads(self) -> None:
        """Start again without threads: those of a forked process have stayed behind in its parent."""
        self._wake = threading.Condition(threading.Lock())
        self._tasks: deque[Task] = deque()
        self._idle = 0

    def start(self, task: Task) -> None:
        """Run `task` on another thread, at once. Never blocks on a task; callable from any thread.

        Raises RuntimeError when the system gives no more threads; the task has then not been taken.
        """
        with self._wake:
            if len(self._tasks) >= self._idle:
                threading.Thread(target=self._work, name="agent-run", daemon=True).start()
            self._tasks.append(task)
            self._wake.notify()

    def _work(self) -> None:
        while (task := self._next()) is not None:
            task()
            del task  # an idle thread must not keep a finished run alive (ISO-3)

    def _next(self) -> Task | None:
        with self._wake:
            self._idle += 1
            there_is_one = self._wake.wait_for(lambda: bool(self._tasks), LINGER_SECONDS)
            self._idle -= 1
            return self._tasks.popleft() if there_is_one else None


crew = Crew()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=crew.forget_threads)


def shielded(what: str, call: Callable[..., object], *args: object) -> None:
    """Call foreign code; whatever it raises, SystemExit and the like included, is logged and goes no further."""
    try:
        call(*args)
    except BaseException:
        # A logging handler is foreign code as well.
        with contextlib.suppress(BaseException):
            log.warning("%s raised; the run goes on without it", what, exc_info=True)
