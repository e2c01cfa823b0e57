"""What the kit hands to an implementation to call: every call is noted, then the steps are followed."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from agent_run_tck.steps import InThread, Operation, Step, Throw, Wait

if TYPE_CHECKING:
    from agent_run_tck.case import Case
    from agent_run_tck.driven import DrivenRun

ThreadLabel = int | str
"""The identity of a thread; that of one in another process is what that process calls it."""


class Thrown(Exception):
    """What a callback raises when a check tells it to."""


class ThrownBase(SystemExit):
    """The same, beyond what `except Exception` catches, and what ends an event loop that does not shield itself."""


class Callback:
    """A hook or a continuation. `calls` has the arguments of each call, `threads` the thread of each."""

    def __init__(self, case: "Case", name: str, steps: Sequence[Step] = ()) -> None:
        self.name = name
        self.calls: list[tuple[Any, ...]] = []
        self.threads: list[ThreadLabel] = []
        self.replies: list[Any] = []
        self.returned = 0
        self.run: DrivenRun | None = None
        self.steps = tuple(steps)
        self._case = case

    def __call__(self, *args: Any) -> None:
        self.begin(threading.get_ident(), args)
        try:
            self._follow(self.steps)
        finally:
            self.end()

    # --- what is noted, here or as another process tells it -----------------------------------------------------

    def begin(self, thread: ThreadLabel, args: tuple[Any, ...]) -> None:
        self.threads.append(thread)
        self.calls.append(args)
        self._case.note(f"{self.name} is called", ", ".join(map(repr, args)))
        self._case.changes.notify()

    def end(self) -> None:
        self.returned += 1
        self._case.changes.notify()

    def replied(self, what: str, reply: Callable[[], Any]) -> None:
        """An operation that a step has called in another process has returned; `reply` says what, or raises."""
        with suppress(BaseException):  # it is kept for the check
            self.replies.append(self._case.shield(reply))
        self._case.note(f"{what} has returned")
        self._case.changes.notify()

    def failed(self, error: BaseException) -> None:
        """An operation that a step has called in another process has raised, or could not be called."""
        self._case.problems.append(error)
        self._case.changes.notify()

    # --- what is done -------------------------------------------------------------------------------------------

    def _follow(self, steps: Sequence[Step]) -> None:
        for step in steps:
            match step:
                case Throw(base):
                    raise (ThrownBase if base else Thrown)(f"{self.name} throws on purpose")
                case Wait(gate):
                    self._case.gate(gate).wait()
                case InThread(inner):
                    self._case.joined(lambda inner=inner: self._follow(inner), self.name)  # type: ignore[misc]
                case Operation():
                    self.replies.append(self._case.shield(partial(self._operate, step)))

    def _operate(self, step: Operation) -> Any:
        run = self._case.runs[step.on] if step.on else self.run
        if run is None:
            raise RuntimeError(f"{self.name} has no run to call {step.name} on")
        return getattr(run, step.name)(*step.args, **step.kwargs)


class Subscriber:
    """Notes what a tap is handed: `events` in plain form, `originals` as they came.

    `when`: steps by moment, which is the n-th event from 0, a kind, `terminal` or `done`.
    """

    def __init__(self, case: "Case", name: str, when: Mapping[int | str, Sequence[Step]]) -> None:
        self.name = name
        self.events: list[dict[str, Any]] = []
        self.originals: list[Any] = []
        self.log: list[str] = []
        self.threads: list[ThreadLabel] = []
        self.most_at_once = 0
        self._inside = 0
        self._case = case
        self.scripts = {moment: Callback(case, f"{name} at {moment}", steps) for moment, steps in when.items()}

    def bind(self, run: "DrivenRun") -> None:
        for callback in self.scripts.values():
            callback.run = run

    def replies(self, moment: int | str) -> list[Any]:
        """What the operations replied that the steps of `moment` have called so far."""
        return self.scripts[moment].replies

    @property
    def seqs(self) -> list[Any]:
        return [event.get("seq") for event in self.events]

    @property
    def kinds(self) -> list[str]:
        return [event["kind"] for event in self.events]

    @property
    def done(self) -> int:
        """How often done was signalled."""
        return self.log.count("done")

    @property
    def quit(self) -> int:
        """How often the stream ended in an error."""
        return self.log.count("quit")

    def on_event(self, event: Any) -> None:
        with self._counted():
            plain = self._case.shield(lambda: self._case.plain(event))
            self._follow(self.take_event(event, plain, threading.get_ident()))

    def on_done(self) -> None:
        with self._counted():
            self.take("done", "done")
            self._follow(["done"])

    def on_quit(self, error: BaseException | None = None) -> None:
        self.take("quit", f"quit ({error!r})")

    # --- what is noted, here or as another process tells it -----------------------------------------------------

    def take_event(self, event: Any, plain: dict[str, Any], thread: ThreadLabel) -> list[int | str]:
        """Note an event; the moments that it is, in the order in which their steps are followed."""
        kind = plain["kind"]
        moments = self._moments(kind)
        self.threads.append(thread)
        self.originals.append(event)
        self.events.append(plain)
        self.take(kind, f"{kind}, seq {plain.get('seq')}")
        return moments

    def take(self, what: str, text: str) -> None:
        """Note what the tap is handed, and how many of its callbacks are in progress."""
        at_once = self._inside or 1 + sum(len(script.calls) - script.returned for script in self.scripts.values())
        self.most_at_once = max(self.most_at_once, at_once)
        self.log.append(what)
        self._case.note(f"{self.name} is handed", text)
        self._case.changes.notify()

    # --- what is done -------------------------------------------------------------------------------------------

    def _moments(self, kind: str) -> list[int | str]:
        terminal: list[int | str] = ["terminal"] if kind in self._case.terminal_kinds else []
        return [len(self.events), kind, *terminal]

    def _follow(self, moments: list[int | str]) -> None:
        for moment in moments:
            if moment in self.scripts:
                self.scripts[moment]()

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1
