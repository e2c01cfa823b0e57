"""Every tap has a queue and a thread of its own; only what comes before the first tap is kept for it."""

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Self

from agent_run import Run as ReferenceRun
from agent_run import events
from agent_run.crew import shielded

__all__ = ["Run", "capabilities", "events"]
capabilities = {"buffers_gaps": False}


class Tap:
    def __init__(self, backlog: list[Any], on_event: Callable[..., object], on_done: Callable[..., object]) -> None:
        self._on_event, self._on_done = on_event, on_done
        self._closed = False
        self.queue: SimpleQueue[Any] = SimpleQueue()
        for event in backlog:
            self.queue.put(event)
        threading.Thread(target=self._publish, daemon=True).start()

    def close(self) -> None:
        self._closed = True
        self.queue.put(None)

    def _publish(self) -> None:
        while (event := self.queue.get()) and not self._closed:
            shielded("a subscriber", self._on_event, event)
            if event.is_terminal:
                if not self._closed:
                    shielded("a subscriber", self._on_done)
                return


class Stream:
    """What the reference calls its mailbox hands on to the queues at once, under the lock of the run."""

    def __init__(self, lock: threading.Lock) -> None:
        self._lock = lock
        self._mailbox = self
        self._backlog: list[Any] | None = []
        self._taps: list[Tap] = []
        self._ended = False

    def __iadd__(self, events: tuple[Any, ...]) -> Self:
        for event in events:
            self.append(event)
        return self

    def append(self, event: Any) -> None:
        if self._backlog is not None:
            self._backlog.append(event)
        for tap in self._taps:
            tap.queue.put(event)
        if event.is_terminal:
            self._ended, self._taps = True, []

    def _wake(self) -> None:
        """Every tap waits for itself."""

    def tap(self, on_event: Callable[..., object], on_done: Callable[..., object], on_quit: object = None) -> Tap:
        with self._lock:
            backlog, self._backlog = self._backlog or [], None
            tap = Tap(backlog, on_event, on_done)
            if not self._ended:
                self._taps.append(tap)
            elif not backlog:
                tap.close()
        return tap


class Run(ReferenceRun):
    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        super().__init__(run_id, on_cancel)
        self.events = Stream(self._lock)
