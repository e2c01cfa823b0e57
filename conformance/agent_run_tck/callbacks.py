"""What the kit hands to an implementation to call: every call is noted, then the steps are followed."""

import threading
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from agent_run_tck.steps import InThread, Operation, Step, Throw, Wait

if TYPE_CHECKING:
    from agent_run_tck.case import Case
    from agent_run_tck.driven import DrivenRun


class Thrown(Exception):
    """What a callback raises when a check tells it to."""


class ThrownBase(SystemExit):
    """The same, beyond what `except Exception` catches, and what ends an event loop that does not shield itself."""


class Callback:
    """A hook or a continuation. `calls` has the arguments of each call, `threads` the thread of each."""

    def __init__(self, case: "Case", name: str, steps: Sequence[Step] = ()) -> None:
        self.name = name
        self.calls: list[tuple[Any, ...]] = []
        self.threads: list[int] = []
        self.replies: list[Any] = []
        self.returned = 0
        self.run: DrivenRun | None = None
        self._case = case
        self._steps = tuple(steps)

    def __call__(self, *args: Any) -> None:
        self.threads.append(threading.get_ident())
        self.calls.append(args)
        self._case.note(f"{self.name} is called", ", ".join(map(repr, args)))
        self._case.changes.notify()
        try:
            self._follow(self._steps)
        finally:
            self.returned += 1
            self._case.changes.notify()

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
        self.threads: list[int] = []
        self.most_at_once = 0
        self._at_once = 0
        self._case = case
        self._steps = {moment: Callback(case, f"{name} at {moment}", steps) for moment, steps in when.items()}

    def bind(self, run: "DrivenRun") -> None:
        for callback in self._steps.values():
            callback.run = run

    def replies(self, moment: int | str) -> list[Any]:
        """What the operations replied that the steps of `moment` have called so far."""
        return self._steps[moment].replies

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
        plain = self._case.shield(lambda: self._case.plain(event))
        kind = plain["kind"]
        self.threads.append(threading.get_ident())
        self.originals.append(event)
        self.events.append(plain)
        self._handed(kind, f"{kind}, seq {plain.get('seq')}", self._moments(kind))

    def on_done(self) -> None:
        self._handed("done", "done", ["done"])

    def on_quit(self, error: BaseException | None = None) -> None:
        self._handed("quit", f"quit ({error!r})", [])

    def _moments(self, kind: str) -> list[int | str]:
        terminal: list[int | str] = ["terminal"] if kind in self._case.terminal_kinds else []
        return [len(self.events) - 1, kind, *terminal]

    def _handed(self, what: str, text: str, moments: list[int | str]) -> None:
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        self.log.append(what)
        self._case.note(f"{self.name} is handed", text)
        self._case.changes.notify()
        try:
            for moment in moments:
                if moment in self._steps:
                    self._steps[moment]()
        finally:
            self._at_once -= 1
