"""Replaces, while a trial runs, what threads are started with and wait for. Threads of no trial get the real things."""

import _thread
import asyncio
import concurrent.futures.thread
import contextlib
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import Any

from agent_run_tck.schedules.locks import ACTIVE, Lock, RLock, here
from agent_run_tck.schedules.loops import TurnedLoop
from agent_run_tck.schedules.managed import Abort
from agent_run_tck.schedules.points import place_of_caller
from agent_run_tck.schedules.scheduler import End, Scheduler

Replacement = tuple[Any, str, Any]
# Python 3.13 has another way to start what can be joined.
STARTS = "_start_joinable_thread" if hasattr(threading, "_start_joinable_thread") else "_start_new_thread"

UNMANAGED = ("start_new_thread", "start_new", "start_joinable_thread")


@contextmanager
def controlled(scheduler: Scheduler) -> Generator[None]:
    """Inside the block the threads of this scheduler's trial see shims. For one trial of the process at a time."""
    shims = _shims()
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in shims]
    ACTIVE.append(scheduler)
    try:
        _put(shims)
        yield
    finally:
        _put(before)
        ACTIVE.remove(scheduler)


def _put(replacements: list[Replacement]) -> None:
    for owner, name, thing in replacements:
        setattr(owner, name, thing)


def _shims() -> list[Replacement]:
    return [
        (threading, "Lock", Lock),
        (threading, "RLock", RLock),
        (threading, "_allocate_lock", Lock),
        (threading, "_CRLock", RLock),
        (threading, STARTS, _starting(getattr(threading, STARTS))),
        *((_thread, name, _refusing(getattr(_thread, name))) for name in UNMANAGED if hasattr(_thread, name)),
        (threading.Thread, "join", _joining(threading.Thread.join)),
        (threading.Thread, "is_alive", _living(threading.Thread.is_alive)),
        (threading, "_trace_hook", None),  # that of a debugger, or of who measures coverage, would replace the points
        (threading, "excepthook", _dying(threading.excepthook)),
        (queue, "SimpleQueue", queue._PySimpleQueue),  # type: ignore[attr-defined]
        (concurrent.futures.thread, "_global_shutdown_lock", contextlib.nullcontext()),
        (asyncio, "new_event_loop", _looping(asyncio.new_event_loop)),
        (os, "register_at_fork", _once(os.register_at_fork)),
        (time, "sleep", _sleeping(time.sleep)),
        *((owner, name, _clock(getattr(owner, name))) for owner, name in CLOCKS),
    ]


CLOCKS = (
    (time, "monotonic"),
    (time, "perf_counter"),
    (time, "time"),
    (threading, "_time"),
    (queue, "time"),
)


def _starting(start: Callable[..., Any]) -> Callable[..., Any]:
    """Threads that a managed thread starts are managed."""

    def shim(function: Callable[..., object], *rest: Any, **options: Any) -> Any:
        if (found := here()) is None:
            return start(function, *rest, **options)
        scheduler, _ = found
        thread = getattr(function, "__self__", None)
        managed = scheduler.started(thread)
        life = partial(scheduler.run, managed, function, *rest)
        try:
            ident = start(life, **{**options, "daemon": True}) if options else start(life, ())
        except BaseException:
            scheduler.was_not_started(managed)
            raise
        if thread is not None:
            thread._daemonic = True  # one that is left behind must not keep the process from ending
            thread._ident = ident if isinstance(ident, int) else None
            thread._invoke_excepthook = _unless_aborted(thread._invoke_excepthook)
            thread._started.set()  # it is as good as started: it gets its turn
        scheduler.point("has started a thread")
        return ident

    return shim


def _refusing(start: Callable[..., Any]) -> Callable[..., Any]:
    """A thread that a managed one starts past `threading` has no turn, so the trial cannot see it come to rest."""

    def shim(*args: Any, **options: Any) -> Any:
        if found := here():
            scheduler, me = found
            text = f"{me.label} starts one that is not managed, as it does not go through the module threading"
            scheduler.stop(End("unsupported", f"{text}, at {place_of_caller(scheduler.files, '')}"))
        return start(*args, **options)

    return shim


def _unless_aborted(invoke: Callable[[threading.Thread], None]) -> Callable[[threading.Thread], None]:
    """A thread that is unwound dies in silence, also when that comes after its trial."""

    def shim(thread: threading.Thread) -> None:
        if not isinstance(sys.exc_info()[1], Abort):
            invoke(thread)

    return shim


def _joining(join: Callable[..., None]) -> Callable[..., None]:
    def shim(self: threading.Thread, timeout: float | None = None) -> None:
        found = here()
        managed = found and found[0].of_thread(self)
        if not found or not managed or managed is found[1]:
            return join(self, timeout)
        if not managed.finished:
            found[0].wait(lambda: managed.finished, f"the end of {managed.label}", timeout)
        return None

    return shim


def _living(is_alive: Callable[..., bool]) -> Callable[..., bool]:
    def shim(self: threading.Thread) -> bool:
        found = here()
        managed = found and found[0].of_thread(self)
        return not managed.finished if managed else is_alive(self)

    return shim


def _dying(hook: Callable[..., Any]) -> Callable[..., Any]:
    """A thread of the trial that an exception ends is noted there; the others have their hook."""

    def shim(args: Any) -> None:
        if (found := here()) is None:
            hook(args)
        elif not issubclass(args.exc_type, SystemExit):
            found[0].deaths.append(f"{found[1].label} died of {args.exc_value!r}")

    return shim


def _looping(new_event_loop: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: TurnedLoop(*found) if (found := here()) else new_event_loop()


def _once(register: Callable[..., None]) -> Callable[..., None]:
    """Modules are imported again and again, and the process would keep each copy for ever."""
    return lambda **hooks: None if here() else register(**hooks)


def _sleeping(sleep: Callable[[float], None]) -> Callable[[float], None]:
    def shim(seconds: float, /) -> None:
        if (found := here()) is None:
            sleep(seconds)
        else:
            found[0].wait(lambda: False, f"{seconds:g} s to pass", seconds)

    return shim


def _clock(clock: Callable[[], float]) -> Callable[[], float]:
    """The real time plus what was skipped."""
    return lambda: clock() + (found[0].now if (found := here()) else 0.0)
