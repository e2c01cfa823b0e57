"""The handle on one agent run: events, result, cancel and drained (the contract is in `spec/`)."""

import threading
import uuid
from collections.abc import Callable
from typing import Any, Final, Literal

from agent_run.crew import shielded
from agent_run.events import Event, order, stamp
from agent_run.plain import freeze
from agent_run.promise import _PLANNED, Promise
from agent_run.stream import Events

_DEFAULTS: dict[str, Any] = {"final": "", "messages": [], "error": None, "attempts": [], "reason": None}


class Run:
    """One agent run. Callers watch `events`, wait for `result`, `cancel`; a driver emits and finishes.

    All may be called from any thread, from any callback of this or another run, as often as wanted, and after the end.
    No operation runs or waits for a subscriber or a continuation. One lock puts them in one order; it is a strict leaf:
    no foreign code ever runs while it is held (LEAF-1 to LEAF-5).

    `run_id` is any string; without one the run gets a fresh UUID (IDENT-1), and its events carry it as `run_id`.
    `on_cancel` is called without arguments, once, on the thread of the first `cancel` of the open run (CANCEL-4).
    `result` is kept by the finish that wins, with the keys outcome, final, messages, error, attempts and reason, and
    with `spent` exactly when the driver gave it (RESULT-1 to RESULT-12). A failed run keeps it too: failure is data.
    `cancellation` is kept with True by the first `cancel` of the open run, before the hook is called (CANCEL-7).
    `drained` is kept with True once the run is finished, no section is open and no hook is running: nothing produces
    any more (DRAIN-2). That everything was delivered only the stream's done tells (DRAIN-5).
    """

    def __init__(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> None:
        if not isinstance(run_id, str | None):
            raise TypeError(f"run_id must be a string, not {type(run_id).__name__}")
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._on_cancel, self._hook_is_out = on_cancel, False
        self._next_seq = self._open_sections = 0
        self.id: Final = str(uuid.uuid4()) if run_id is None else run_id
        self.events: Final = Events(self._lock)
        self.result: Final[Promise[dict[str, Any]]] = Promise(self._changed)
        self.cancellation: Final[Promise[Literal[True]]] = Promise(self._changed)
        self.drained: Final[Promise[Literal[True]]] = Promise(self._changed)

    @property
    def is_done(self) -> bool:
        """Whether the result is kept. Never blocks (IDENT-2, IDENT-4)."""
        return self.result.status == "kept"

    @property
    def is_cancelled(self) -> bool:
        """Whether the cancellation is kept. Never blocks; stays as it is once `is_done` is true (IDENT-3, IDENT-4)."""
        return self.cancellation.status == "kept"

    def cancel(self) -> None:
        """Ask the driver to stop: keep `cancellation`, then call the hook. Never raises (CANCEL-3).

        Idempotent, and a total no-op on a finished run (CANCEL-2, CANCEL-6). Stops nothing by itself: the driver ends
        the run, with whatever terminal (CANCEL-5, FINISH-6). Only the call that won waits for the hook (CANCEL-11).
        """
        with self._lock:
            if self.is_done or self.is_cancelled:
                return
            self.cancellation._keep(True)
            hook, self._on_cancel = self._on_cancel, None
            self._hook_is_out = hook is not None  # so that drained also means that no hook is running
        self._start_what_is_due()
        if hook is not None:
            shielded("the on-cancel hook", hook)
            with self._lock:
                self._hook_is_out = False
                self._keep_drained_if_due()
            self._start_what_is_due()

    def emit(self, event: Event) -> bool:
        """Accept an event: a copy of it gets this run's id and the next seq, and is published after all before it.

        True: accepted and ordered, not yet delivered (EMIT-1, EMIT-2). False: the run is finished and nothing happened
        (EMIT-4). Blocks on nobody (STREAM-10). The same event may be emitted again and counts again (EMIT-5). Raises
        ValueError for a terminal event and TypeError for what is no event; no seq is spent (EMIT-3, EMIT-7).
        """
        stamped = stamp(event, self.id)
        if stamped.is_terminal:
            raise ValueError(f"{stamped.kind} is a terminal event; a run ends with finish(), not with emit()")
        with self._lock:  # no call in here, so CPython switches no threads: emitters rarely wait for each other
            if accepted := self.result._value is _PLANNED:
                stamped.__dict__["seq"] = self._next_seq
                self._next_seq += 1
                self.events._mailbox += (stamped,)
        self.events._wake()
        return accepted

    def finish(self, terminal: Event, **outcome: Any) -> bool:
        """End the run: keep `result` and queue the terminal, in one step.

        True: this call did it. False: the run was finished before and nothing changes (FINISH-1). Blocks on no
        subscriber, section or hook (FINISH-7). `outcome` may have final, messages, error, attempts, reason and spent,
        all plain data, of which the result is a snapshot (RESULT-11); an `outcome` in it is ignored, for the terminal
        decides it (RESULT-4). Raises ValueError for an event that is not terminal, TypeError for what is no event or an
        unknown keyword, either for values that are not plain data; the run then stays open (FINISH-2).
        """
        stamped = stamp(terminal, self.id)
        if not stamped.is_terminal:
            raise ValueError(f"{stamped.kind} is not a terminal event; it goes to emit(), and finish() ends the run")
        result = freeze(_result(stamped.kind.removeprefix("run-"), outcome), "result")
        with self._lock:
            if accepted := not self.is_done:
                self.result._keep(result)
                # The driver of a finished run has let go of what its hook would reach for; it dies outside the lock.
                _hook, self._on_cancel = self._on_cancel, None
                order(stamped, self._next_seq)
                self._next_seq += 1
                self.events._mailbox.append(stamped)
                self._keep_drained_if_due()
        self._start_what_is_due()
        return accepted

    def work_begin(self) -> bool:
        """Open a work section, which holds `drained` until its `work_done`. Never blocks.

        True: it counts (WORK-2). False: the run is finished, nothing was counted, call no `work_done` (WORK-3).
        """
        with self._lock:
            if granted := not self.is_done:
                self._open_sections += 1
        return granted

    def work_done(self) -> None:
        """Close a section; on a finished run the last one keeps `drained` (DRAIN-4). Never blocks, never raises."""
        with self._lock:
            self._open_sections = max(0, self._open_sections - 1)
            self._keep_drained_if_due()
        self._start_what_is_due()

    def _keep_drained_if_due(self) -> None:
        if self.is_done and not self._open_sections and not self._hook_is_out and self.drained.status == "planned":
            self.drained._keep(True)

    def _start_what_is_due(self) -> None:
        """Publisher and continuations, also those of earlier operations that got no thread. The lock is not held."""
        for start in (self.events._wake, self.result._announce, self.cancellation._announce, self.drained._announce):
            start()


def _result(outcome: str, given: dict[str, Any]) -> dict[str, Any]:
    if unknown := given.keys() - _DEFAULTS.keys() - {"outcome", "spent"}:
        raise TypeError(f"finish() knows no {', '.join(sorted(unknown))}; it takes {', '.join(_DEFAULTS)} and spent")
    given = {key: value for key, value in given.items() if key != "spent" or value is not None}
    return {**_DEFAULTS, **given, "outcome": outcome}
