"""The events of a run: the mailbox, its one publisher, and the taps that it publishes to.

The publisher runs only while there is both something to publish and somebody to hand it to. So the mailbox is the
backlog as well: what is accepted before the first tap, or while every tap is closed, waits there in its order (STREAM-1,
STREAM-12).
"""

import threading
from collections import deque
from collections.abc import Callable

from agent_run.crew import crew, shielded
from agent_run.events import Event


class Tap:
    """One subscription. `close` ends it."""

    def __init__(
        self, events: "Events", on_event: Callable[[Event], object], on_done: Callable[[], object] | None
    ) -> None:
        self._events = events
        self._on_event = on_event
        self._on_done = on_done
        self._closed = False

    def close(self) -> None:
        """Take no more: nothing is handed to this tap once `close` has returned, done included (STREAM-16).

        Does not wait for a callback in progress, so it may be called from within one, and from any thread. Idempotent;
        other taps and the run notice nothing. With no tap left, events wait in the mailbox for the next one.
        """
        self._closed = True
        self._events._leave(self)

    def _hand(self, event: Event) -> None:
        if not self._closed:
            shielded("a subscriber", self._on_event, event)

    def _hand_done(self) -> None:
        if self._on_done is not None and not self._closed:
            shielded("a subscriber", self._on_done)


class Events:
    """The stream of a run's events, in the order of `seq`, the terminal last, then done."""

    def __init__(self, lock: threading.Lock) -> None:
        self._lock = lock
        self._mailbox: deque[Event] = deque()
        self._taps: tuple[Tap, ...] = ()
        self._publishing = False
        self._over = False

    def tap(
        self,
        on_event: Callable[[Event], object],
        on_done: Callable[[], object] | None = None,
        on_quit: Callable[[BaseException], object] | None = None,
    ) -> Tap:
        """Subscribe: `on_event(event)` for each event, `on_done()` once after the terminal. Returns at once.

        The first tap gets the run from its beginning, however late it comes (STREAM-1). A later one gets what is
        published from then on (STREAM-2); on a stream that is over, nothing at all (STREAM-3). `on_quit` is for callers
        whose streams can fail: this one cannot, and never calls it (STREAM-5).

        Callbacks come on a thread of the library, one at a time for all taps of the run (STREAM-11). One that blocks
        parks the delivery of this run and nothing else (STREAM-9); one that raises loses that event and nothing else
        (STREAM-8). They may call everything, this method included (LEAF-1). Callable from any thread.
        """
        tap = Tap(self, on_event, on_done)
        with self._lock:
            if not self._over:
                self._taps += (tap,)
            start = self._claim()
        if start:
            self._start()
        return tap

    def _put(self, event: Event) -> bool:
        """Queue an event that has its seq; the lock is held. True: the caller calls `_start` once it has let go."""
        self._mailbox.append(event)
        return self._claim()

    def _claim(self) -> bool:
        """Whether a publisher is needed; if so, the caller has it to start. The lock is held."""
        if self._publishing or not self._mailbox or not self._taps:
            return False
        self._publishing = True
        return True

    def _start(self) -> None:
        try:
            crew.start(self._publish)
        except RuntimeError:  # no thread is to be had: what was accepted stays so, and the next operation tries again
            self._publishing = False

    def _publish(self) -> None:
        while (work := self._take()) is not None:
            event, audience = work
            for tap in audience:
                tap._hand(event)
            if event.is_terminal:
                for tap in audience:
                    tap._hand_done()

    def _take(self) -> tuple[Event, tuple[Tap, ...]] | None:
        with self._lock:
            if not self._mailbox or not self._taps:
                self._publishing = False
                return None
            event, audience = self._mailbox.popleft(), self._taps
            if event.is_terminal:
                self._over, self._taps = True, ()
            return event, audience

    def _leave(self, tap: Tap) -> None:
        with self._lock:
            self._taps = tuple(other for other in self._taps if other is not tap)
