"""The handle on one agent run: events, result, cancel and drained (the contract is in `spec/`)."""

import threading
import uuid
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal

from agent_run.crew import shielded
from agent_run.events import Event, order, stamp
from agent_run.plain import freeze
from agent_run.promise import Promise
from agent_run.stream import Events

_DEFAULTS: Final[Mapping[str, Any]] = MappingProxyType(
    {"final": "", "messages": [], "error": None, "attempts": [], "reason": None}
)


class Run:
    """One agent run. Callers watch `events`, wait for `result`, `cancel`; a driver emits and finishes.

    Everything may be called from any thread, from any callback of this or another run, as often as wanted, and after the
    end. No operation runs or waits for a subscriber or a continuation, and one lock puts them all in one order; it is a
    strict leaf: no foreign code ever runs while it is held (LEAF-1 to LEAF-5).

    `run_id` is any string; without one the run gets a fresh UUID (IDENT-1). `on_cancel` is called without arguments, once,
    on the thread of the first `cancel` of the open run.
    """

    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        if not isinstance(run_id, str | None):
            raise TypeError(f"run_id must be a string, not {type(run_id).__name__}")
        self._lock = threading.Lock()
        self._id = str(uuid.uuid4()) if run_id is None else run_id
        self._on_cancel = on_cancel
        self._next_seq = 0
        self._open_sections = 0
        self._events = Events(self._lock)
        self._result = Promise[dict[str, Any]](self._lock)
        self._cancellation = Promise[Literal[True]](self._lock)
        self._drained = Promise[Literal[True]](self._lock)

    @property
    def id(self) -> str:
        """The run's id, which every event carries as `run_id` (IDENT-1)."""
        return self._id

    @property
    def events(self) -> Events:
        """The stream; `events.tap(...)` subscribes."""
        return self._events

    @property
    def result(self) -> Promise[dict[str, Any]]:
        """Kept by the finish that wins, with the keys outcome, final, messages, error, attempts, reason, and `spent`
        exactly when the driver gave it (RESULT-1 to RESULT-12). A failed run keeps it too: failure is data."""
        return self._result

    @property
    def cancellation(self) -> Promise[Literal[True]]:
        """Kept with True by the first `cancel` of the open run, before the hook is called (CANCEL-1, CANCEL-7)."""
        return self._cancellation

    @property
    def drained(self) -> Promise[Literal[True]]:
        """Kept with True once the run is finished, no section is open and no hook is running: nothing produces any
        more (DRAIN-2). It does not say that everything was delivered (DRAIN-5); only the stream's done says that."""
        return self._drained

    @property
    def is_done(self) -> bool:
        """Whether the result is kept. Never blocks (IDENT-2, IDENT-4)."""
        return self._result.status == "kept"

    @property
    def is_cancelled(self) -> bool:
        """Whether the cancellation is kept. Never blocks; does not change once `is_done` is true (IDENT-3, IDENT-4)."""
        return self._cancellation.status == "kept"

    def cancel(self) -> None:
        """Ask the driver to stop: keep `cancellation`, then call the hook. Never raises (CANCEL-3).

        Idempotent, and a total no-op on a finished run (CANCEL-2, CANCEL-6). Stops nothing by itself: the run stays open
        until the driver finishes it, with whatever terminal it likes (CANCEL-5, FINISH-6). Blocks for as long as the hook
        does, and only in the call that won (CANCEL-11).
        """
        with self._lock:
            if self.is_done or self.is_cancelled:
                return
            self._cancellation._keep(True)
            hook, self._on_cancel = self._on_cancel, None
            self._open_sections += 1  # so that drained also means that no hook is running
        self._cancellation._announce()
        if hook is not None:
            shielded("the on-cancel hook", hook)
        self.work_done()

    def emit(self, event: Event) -> bool:
        """Accept an event: it gets this run's id and the next seq, on a copy, and is published after all that were
        accepted before. True: accepted and ordered, not yet delivered (EMIT-1, EMIT-2). False: the run is finished and
        nothing happened (EMIT-4). Never blocks on delivery (STREAM-10).

        Raises ValueError for a terminal event and TypeError for what is no event of the taxonomy; no seq is spent
        (EMIT-3, EMIT-7). Not idempotent: the same event emitted twice is published twice (EMIT-5).
        """
        if self.is_done:
            return False
        stamped = stamp(event, self._id)
        if stamped.is_terminal:
            raise ValueError(f"{stamped.kind} is a terminal event; a run ends with finish(), not with emit()")
        with self._lock:
            if self.is_done:
                return False
            start = self._queue(stamped)
        if start:
            self._events._start()
        return True

    def finish(self, terminal: Event, **outcome: Any) -> bool:
        """End the run: keep `result` and queue the terminal, in one step. True: this call did it. False: the run was
        finished before and nothing changes (FINISH-1). Blocks on no subscriber, section or hook (FINISH-7).

        `outcome` may have final, messages, error, attempts, reason and spent, all plain data; the result is a snapshot
        of them (RESULT-11). Its `outcome` follows from the terminal; one that is passed is ignored (RESULT-4).

        Raises ValueError for an event that is not terminal, TypeError for what is no event or an unknown keyword,
        ValueError or TypeError for values that are not plain data; the run then stays open (FINISH-2).
        """
        if self.is_done:
            return False
        stamped = stamp(terminal, self._id)
        if not stamped.is_terminal:
            raise ValueError(f"{stamped.kind} is not a terminal event; emit() is for it, finish() ends the run")
        result = freeze(_result(stamped.kind.removeprefix("run-"), outcome))
        with self._lock:
            if self.is_done:
                return False
            self._result._keep(result)
            self._on_cancel = None  # the driver of a finished run has let go of what its hook would reach for
            start = self._queue(stamped)
            self._keep_drained_if_due()
        self._result._announce()
        self._drained._announce()
        if start:
            self._events._start()
        return True

    def work_begin(self) -> bool:
        """Open a work section, which holds `drained` until its `work_done`. True: it counts. False: the run is done,
        nothing was counted, and there must be no `work_done` for it (WORK-1, WORK-3). Never blocks. Sections nest and
        overlap over all threads (WORK-2)."""
        with self._lock:
            if self.is_done:
                return False
            self._open_sections += 1
            return True

    def work_done(self) -> None:
        """Close a section. On a finished run the last one keeps `drained` (DRAIN-4). Never blocks and never raises, not
        even when no section is open (WORK-4)."""
        with self._lock:
            self._open_sections = max(0, self._open_sections - 1)
            self._keep_drained_if_due()
        self._drained._announce()

    def _queue(self, stamped: Event) -> bool:
        order(stamped, self._next_seq)
        self._next_seq += 1
        return self._events._put(stamped)

    def _keep_drained_if_due(self) -> None:
        if self.is_done and self._open_sections == 0 and self._drained.status == "planned":
            self._drained._keep(True)


def _result(outcome: str, given: dict[str, Any]) -> dict[str, Any]:
    if unknown := given.keys() - _DEFAULTS.keys() - {"outcome", "spent"}:
        raise TypeError(f"finish() knows no {', '.join(sorted(unknown))}; it takes {', '.join(_DEFAULTS)} and spent")
    result = {**_DEFAULTS, **given, "outcome": outcome}
    if result.get("spent") is None:
        result.pop("spent", None)
    return result
