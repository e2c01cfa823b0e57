"""The events of a run: the mailbox, its one publisher, and the taps that it publishes to.

The publisher runs only while there is something to publish and somebody to hand it to: the mailbox is the backlog too.
"""

import threading
from collections import deque
from collections.abc import Callable

from attrs import define

from agent_run.crew import crew, shielded
from agent_run.events import Event

Callback = Callable[..., object]


@define(eq=False)
class Tap:
    """One subscription. `close` ends it."""

    _events: "Events"
    _on_event: Callback
    _on_done: Callback | None
    _closed: bool = False

    def close(self) -> None:
        """End the subscription: once this has returned, nothing is handed to it any more, done included (STREAM-16).

        Waits for no callback, so one may call it. Idempotent. With no tap left, events wait for the next one.
        """
        self._closed = True
        with self._events._lock:
            self._events._taps = tuple(tap for tap in self._events._taps if tap is not self)

    def _call(self, callback: Callback | None, *args: Event) -> None:
        if callback is not None and not self._closed:
            shielded("a subscriber", callback, *args)


class Events:
    """The stream of a run's events, in the order of `seq`, the terminal last, then done."""

    def __init__(self, lock: threading.Lock) -> None:
        self._lock = lock
        self._mailbox: deque[Event] = deque()
        self._taps: tuple[Tap, ...] = ()
        self._publishing = self._over = False

    def tap(self, on_event: Callback, on_done: Callback | None = None, on_quit: Callback | None = None) -> Tap:
        """Subscribe: `on_event(event)` for each event, `on_done()` once after the terminal. Returns at once.

        The first tap gets the run from its beginning, however late it comes (STREAM-1), a later one what is published
        from then on (STREAM-2), or nothing at all once the stream is over (STREAM-3). `on_quit` is never called: this
        stream cannot fail (STREAM-5). Callbacks come on a thread of the library, one at a time for all taps of the run
        (STREAM-11). One that blocks parks the delivery of this run and nothing else (STREAM-9), one that raises loses
        that event and nothing else (STREAM-8), and they may call everything, this method too (LEAF-1).
        """
        tap = Tap(self, on_event, on_done)
        with self._lock:
            if not self._over:
                self._taps += (tap,)
        self._wake()
        return tap

    def _wake(self) -> None:
        """Start the publisher if it is needed. The lock is not held."""
        if self._publishing:  # it looks into the mailbox once more before it ends
            return
        with self._lock:
            if self._publishing or not self._mailbox or not self._taps:
                return
            self._publishing = True
        try:
            crew.start(self._publish)
        except RuntimeError:  # no thread is to be had: what was accepted waits for the next operation to try again
            self._publishing = False

    def _publish(self) -> None:
        while (work := self._take()) is not None:
            event, audience = work
            for tap in audience:
                tap._call(tap._on_event, event)
            for tap in audience if event.is_terminal else ():
                tap._call(tap._on_done)

    def _take(self) -> tuple[Event, tuple[Tap, ...]] | None:
        # The last may be the terminal. Of several, nobody else takes the first: who gets it is who is a tap right now.
        if len(self._mailbox) > 1 and (audience := self._taps):
            return self._mailbox.popleft(), audience
        with self._lock:
            if not self._mailbox or not self._taps:
                self._publishing = False
                return None
            event, audience = self._mailbox.popleft(), self._taps
            if event.is_terminal:
                self._over, self._taps = True, ()
            return event, audience
