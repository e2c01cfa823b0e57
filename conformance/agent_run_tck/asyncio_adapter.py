"""The adapter for an asyncio implementation, which runs on a loop of its own in a thread of its own.

    def tck_adapter():
        return AsyncioAdapter(Run, Event.of, Event.plain, name="my_runs")

So the checks can call from their threads what belongs on a loop: each call is handed over to the loop, its coroutine
awaited if it makes one, and the caller waits for the outcome, with a deadline. A callback that is on the loop's thread
already calls directly. `id`, `is_done` and `is_cancelled` are read where the caller is: they need no loop (IDENT-4).
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future, InvalidStateError
from functools import partial
from typing import Any

from agent_run_tck.steering import Hang, Task

SECONDS = 5.0
SECONDS_PER_EVENT = 0.0001
TURNS = 10  # from a future through what is awaited to the task that awaits it, with room
PROMISES = ("result", "cancellation", "drained")


class LoopEnded(AssertionError):
    """The implementation let an exception out that ends the loop, or stopped it; the text says which."""


class LoopThread:
    """An event loop on a daemon thread of its own. It may be used from any thread."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._loop = asyncio.new_event_loop()
        self._thread_id: int | None = None
        self._end = ""
        self._hangs = False
        self._replies: set[Future[Any]] = set()
        self._thread = Task(self._serve, name="asyncio loop")

    @property
    def usable(self) -> bool:
        """Whether the loop still answers, as far as is known. Never blocks."""
        return not self._end and not self._hangs

    @property
    def here(self) -> bool:
        """Whether the caller is on the loop's own thread. Never blocks."""
        return threading.get_ident() == self._thread_id

    def call(self, what: str, operation: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call `operation` on the loop and return what it returns, or what its coroutine does; it raises likewise.

        Blocks until then: any thread but the loop's own waits, and raises Hang after the deadline in seconds and
        LoopEnded when there is no loop any more. On the loop's own thread it raises RuntimeError when a coroutine
        has to wait, because nobody can wait there. `what` names the operation in messages.
        """
        return self.call_longer(0, what, partial(operation, *args, **kwargs))

    def call_longer(self, longer: float, what: str, operation: Callable[[], Any]) -> Any:
        """The same with a deadline that is so many seconds later."""
        if self.here:
            return _without_waiting(what, operation())
        reply: Future[Any] = Future()
        self._replies.add(reply)
        try:
            self._hand_over(operation, reply)
            return self._outcome(reply, self._seconds + longer, what)
        finally:
            self._replies.discard(reply)

    def close(self) -> None:
        """Stop the loop and wait for its thread; Hang after the deadline. Idempotent; not on the loop's thread."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.outcome(self._seconds, "stopping the loop")

    def _hand_over(self, operation: Callable[[], Any], reply: "Future[Any]") -> None:
        if self._end:
            raise LoopEnded(self._end)
        with contextlib.suppress(RuntimeError):  # it has ended meanwhile, and the reply says so
            self._loop.call_soon_threadsafe(self._answer, operation, reply)

    def _outcome(self, reply: "Future[Any]", seconds: float, what: str) -> Any:
        try:
            error = reply.exception(seconds)
        except TimeoutError:
            self._hangs = True
            reply.cancel()
            position = self._thread.position()
            raise Hang(f"{what} did not come back within {seconds:.3g} s; the loop stands {position}") from None
        if error is not None:
            raise error
        return reply.result()

    def _serve(self) -> None:
        self._thread_id = threading.get_ident()
        why = "somebody stopped it"
        try:
            self._loop.run_forever()
            self._wind_down()
        except BaseException as error:
            why = f"a callback let {error!r} out, which ends a loop; shield what the run calls"
        self._end = f"the loop has ended: {why}"
        for reply in self._replies.copy():
            _settle(reply, error=LoopEnded(self._end))
        self._loop.close()

    def _wind_down(self) -> None:
        """Let the tasks end that are left, since a task that is dropped while it waits is reported as a fault."""
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))

    def _answer(self, operation: Callable[[], Any], reply: "Future[Any]") -> None:
        try:
            value = operation()
        except BaseException as error:  # SystemExit from an operation belongs to its caller, not to the loop
            _settle(reply, error=error)
            return
        if asyncio.iscoroutine(value):
            task = self._loop.create_task(_await(value, reply))
            reply.add_done_callback(lambda _: self._loop.call_soon_threadsafe(task.cancel))
        else:
            _settle(reply, value)


async def _await(coroutine: Coroutine[Any, Any, Any], reply: "Future[Any]") -> None:
    try:
        value = await coroutine
    except BaseException as error:
        _settle(reply, error=error)
    else:
        _settle(reply, value)


def _settle(reply: "Future[Any]", value: Any = None, error: BaseException | None = None) -> None:
    with contextlib.suppress(InvalidStateError):  # the caller has given up, or has got the value and not yet gone
        if error is None:
            reply.set_result(value)
        else:
            reply.set_exception(error)


def _without_waiting(what: str, value: Any) -> Any:
    """The value, or that of a coroutine which comes to its end without waiting for anything."""
    if not asyncio.iscoroutine(value):
        return value
    try:
        value.send(None)
    except StopIteration as end:
        return end.value
    value.close()
    raise RuntimeError(f"{what} waits for something, so no callback on the loop can call it; let it return at once")


class OnLoop:
    """Something that lives on the loop: its methods are called there, its other attributes read at once."""

    def __init__(self, loop: LoopThread, target: Any) -> None:
        self._loop = loop
        self._target = target

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        return partial(self._loop.call, f"{name}()", value) if callable(value) else value


class LoopPromise:
    """A promise made of a future of the loop, or of what looks like one. All of it may be used from any thread."""

    def __init__(self, loop: LoopThread, future: Any) -> None:
        self._loop = loop
        self._future = future

    @property
    def status(self) -> str:
        """`planned`, `kept` or `broken`. Blocks for one turn of the loop; leaves nothing behind."""
        return str(self._loop.call("status", self._status))

    @property
    def value(self) -> Any:
        """What `result()` returns or raises. Blocks for one turn of the loop; leaves nothing behind."""
        return self._loop.call("result()", self._future.result)

    def then(self, continuation: Callable[[Any], object]) -> None:
        """Register a continuation, which the loop calls with the value. Each call registers one more."""
        self._loop.call("add_done_callback()", self._future.add_done_callback, lambda done: continuation(done.result()))

    def wait(self, timeout: float) -> Any:
        """Wait at most `timeout` seconds, as asyncio programs do, with `wait_for`; TimeoutError after that.

        So PROMISE-4 sees whether giving up cancels the promise for the others. Not on the loop's thread.
        """
        return self._loop.call_longer(timeout, "wait()", lambda: self._wait(timeout))

    async def _wait(self, timeout: float) -> Any:
        return await asyncio.wait_for(self._future, timeout)

    def _status(self) -> str:
        if not self._future.done():
            return "planned"
        try:
            self._future.result()
        except BaseException:
            return "broken"
        return "kept"


class AwaitedPromise(LoopPromise):
    """A promise made of what can only be awaited. A task of the kit awaits it, and sees it kept some turns later."""

    def __init__(self, loop: LoopThread, awaitable: Any) -> None:
        super().__init__(loop, asyncio.ensure_future(awaitable))

    @property
    def status(self) -> str:
        """The same, after some turns of the loop, except on its own thread."""
        if not self._loop.here:
            self._loop.call("turning the loop", self._turns)
        return super().status

    async def _turns(self) -> None:
        for _ in range(TURNS):
            await asyncio.sleep(0)

    async def _wait(self, timeout: float) -> Any:
        return await asyncio.wait_for(asyncio.shield(self._future), timeout)  # the task is for all waits


class LoopHandle(OnLoop):
    """A run that lives on the loop, with the promises that the kit wants. Made on the loop."""

    def __init__(self, loop: LoopThread, run: Any) -> None:
        super().__init__(loop, run)
        for name in PROMISES:
            if hasattr(run, name):
                setattr(self, name, _promise(loop, getattr(run, name)))

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        return partial(self._tap, value) if name == "tap" else value

    def _tap(self, tap: Callable[..., Any], *callbacks: Callable[..., object]) -> OnLoop:
        return OnLoop(self._loop, tap(*callbacks))

    def emit_many(self, event: Any, count: int) -> None:
        """Emit the same event `count` times in one go, because handing over takes longer than an emit."""

        async def emit_all() -> None:
            for _ in range(count):
                reply = self._target.emit(event)
                if asyncio.iscoroutine(reply):
                    await reply

        self._loop.call_longer(count * SECONDS_PER_EVENT, f"emit() {count} times", emit_all)


def _promise(loop: LoopThread, promise: Any) -> Any:
    if hasattr(promise, "then") and hasattr(promise, "status"):
        return OnLoop(loop, promise)
    if hasattr(promise, "add_done_callback"):
        return LoopPromise(loop, promise)
    return AwaitedPromise(loop, promise)


class AsyncioAdapter:
    """The adapter of an asyncio implementation.

    `create_run(run_id, on_cancel)`, called on the loop, gives a run with the kit's names: methods or coroutine
    methods, and promises that are futures, look like futures, are awaitable, or have `status`, `value` and `then`.
    A future is better than what can only be awaited, which a callback on the loop sees kept some turns late.
    `make_event(kind, payload)` and `plain(event)` are called on any thread. `capabilities` are added to `threads`:
    False. `seconds` is the deadline for each call.

    Everything may be called from any thread and blocks until the loop has done it; what the loop has not done by
    the deadline raises Hang. A loop that hangs or has ended is given up, and the next run gets a new one.
    """

    def __init__(
        self,
        create_run: Callable[[str | None, Callable[[], object] | None], Any],
        make_event: Callable[[str, Mapping[str, Any]], Any],
        plain: Callable[[Any], dict[str, Any]],
        *,
        name: str,
        version: str = "",
        capabilities: Mapping[str, Any] | None = None,
        seconds: float = SECONDS,
    ) -> None:
        self.make_event = make_event
        self.plain = plain
        self.name = name
        self.version = version
        self.capabilities = {"threads": False, **(capabilities or {})}
        self._create_run = create_run
        self._seconds = seconds
        self._choosing = threading.Lock()
        self._loop: LoopThread | None = None

    def create_run(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> Any:
        """A new run on the loop. Not idempotent; raises what the implementation raises."""
        loop = self._usable_loop()
        run = loop.call("create_run()", self._create_run, run_id, on_cancel)
        return loop.call("looking at the run", LoopHandle, loop, run)

    def close(self) -> None:
        """Stop the loop, with the runs on it. Idempotent; not on the loop's thread; a later run gets a new loop."""
        with self._choosing:
            loop, self._loop = self._loop, None
        if loop is not None:
            loop.close()

    def _usable_loop(self) -> LoopThread:
        with self._choosing:
            if self._loop is None or not self._loop.usable:
                self._loop = LoopThread(self._seconds)
            return self._loop
