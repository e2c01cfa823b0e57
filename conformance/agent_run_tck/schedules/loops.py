"""An asyncio loop as one thread among others of a trial, with the order of its ready callbacks open to the strategy.

Plain callbacks keep their order, as asyncio promises, and tasks begin in the order in which they were made; the later
steps of different tasks may overtake them and one another, as when an await takes a little longer.

The package `detangle` explores the same orders, but of a whole program on one loop and in one thread; here the calls
come from other threads through an adapter, so the loop has to be a thread that the scheduler knows, and its choices
belong into the same schedule, which is shrunk and replayed like any other.
"""

import asyncio
import inspect
import selectors
from collections import deque
from collections.abc import Mapping
from typing import Any

from agent_run_tck.schedules.managed import NOTHING, Managed
from agent_run_tck.schedules.scheduler import Scheduler
from agent_run_tck.schedules.strategies import Option

CALLBACKS = "callbacks"


class Rest(selectors.BaseSelector):
    """A selector without files: the loop rests in it until somebody hands it something, or a timer is due."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._files: dict[Any, selectors.SelectorKey] = {}
        self._woken = False

    def wake(self) -> None:
        self._woken = True

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout <= 0:
            self._scheduler.point("begins a turn of the loop")
        elif not self._woken:
            self._scheduler.wait(lambda: self._woken, "something to do on the loop", timeout)
        self._woken = False
        return []

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        fd = fileobj if isinstance(fileobj, int) else fileobj.fileno()
        self._files[fileobj] = key = selectors.SelectorKey(fileobj, fd, events, data)
        return key

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._files.pop(fileobj)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._files


class Ready(deque[asyncio.Handle]):
    """The handles that are ready. The next is the oldest plain callback or first step, or a later step of any task."""

    def __init__(self, scheduler: Scheduler, me: Managed) -> None:
        super().__init__()
        self._scheduler = scheduler
        self._me = me
        self._tasks: dict[int, tuple[str, Any]] = {}

    def popleft(self) -> asyncio.Handle:
        if len(self) < 2:
            return super().popleft()
        heads: dict[str, asyncio.Handle] = {}
        for handle in self:
            heads.setdefault(self._lane(handle), handle)
        names = list(heads)
        options = [Option(f"{self._me.id} {name}", (name, self._me.points), NOTHING) for name in names]
        chosen = self._scheduler.pick(
            options, options[0].id, f"the loop has ready: {', '.join(map(self._told, names))}"
        )
        handle = heads[names[[option.id for option in options].index(chosen)]]
        self.remove(handle)
        return handle

    def _lane(self, handle: asyncio.Handle) -> str:
        task = getattr(handle._callback, "__self__", None)  # type: ignore[attr-defined]
        if not isinstance(task, asyncio.Task) or _has_not_begun(task.get_coro()):
            return CALLBACKS
        name, _ = self._tasks.setdefault(id(task), (f"task {len(self._tasks) + 1}", task))  # keeps it, so the id stays
        return name

    def _told(self, lane: str) -> str:
        coroutine = next((task.get_coro() for name, task in self._tasks.values() if name == lane), None)
        return f"{lane} ({coroutine.__qualname__})" if coroutine is not None else lane


def _has_not_begun(coroutine: Any) -> bool:
    return inspect.iscoroutine(coroutine) and inspect.getcoroutinestate(coroutine) == inspect.CORO_CREATED


class TurnedLoop(asyncio.SelectorEventLoop):
    """Made by a managed thread, in the place of the platform's loop. It knows no files and no signals."""

    def __init__(self, scheduler: Scheduler, me: Managed) -> None:
        self._rest = Rest(scheduler)
        super().__init__(self._rest)
        self._ready = Ready(scheduler, me)

    def _write_to_self(self) -> None:
        self._rest.wake()
