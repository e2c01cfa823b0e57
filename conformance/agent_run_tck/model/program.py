"""A program: operations on one run of an implementation, each compared with what the model allows.

The model decides nothing in advance. It gives the states that the run may be in; a reply or a view that none of them
has is a violation, and one that some have leaves just those. A program that fails prints itself, to be run again.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Literal, NoReturn, TypeVar

from agent_run_tck.budgets import BUDGETS, Budgets
from agent_run_tck.callbacks import Callback
from agent_run_tck.case import Case
from agent_run_tck.driven import DrivenRun, Raised
from agent_run_tck.loading import load
from agent_run_tck.model.contract import Outcome, State, apply, initial_states, reachable, resting
from agent_run_tck.model.fold import Operation
from agent_run_tck.model.view import View, difference, view_of_run, view_of_state
from agent_run_tck.protocol import Implementation
from agent_run_tck.steering import Helper, Task
from agent_run_tck.steps import Step, throw, wait
from agent_run_tck.wire.faults import Fault

T = TypeVar("T")
HookKind = Literal["unset", "returns", "throws", "parks"]
REQUIREMENTS = {
    "emit": "EMIT-1, EMIT-4",
    "emit_terminal": "EMIT-3",
    "finish": "FINISH-1",
    "finish_non_terminal": "FINISH-2",
    "work_begin": "WORK-1, WORK-3",
}


class Program:
    """Drives one run. Every method is one operation and raises AssertionError where the contract is violated.

    To be used from one thread. `states` is what the model says the run may be in, `view` how it looked at last, and
    `reply` what the last operation replied.
    """

    def __init__(
        self, implementation: Implementation | str, hook: HookKind = "unset", budgets: Budgets = BUDGETS["quick"]
    ) -> None:
        self._implementation = load(implementation) if isinstance(implementation, str) else implementation
        self._case = Case(self._implementation, budgets)
        self.failed = False
        self._lines = [f"program = Program({self._implementation.spec!r}, hook={hook!r})"]
        self.reply: Any = None
        self._hook_kind = hook
        self._parks: dict[int, int] = {}
        self._winner: Task[None] | None = None
        self._hook = self._make_hook()
        self._run: DrivenRun = self._case.run(on_cancel=None if hook == "unset" else self._hook)
        wanted = "unset" if hook == "unset" else "idle"
        self.states = frozenset(state for state in initial_states() if state.hook == wanted)
        self.view = self._look()
        # Two in turn: a run that counts or looks something up by thread must not get away with it.
        self._helpers = [Helper(), Helper()]
        self._turns = itertools.cycle(self._helpers)

    def _make_hook(self) -> Callback:
        steps: Mapping[HookKind, tuple[Step, ...]] = {"throws": (throw(),), "parks": (wait("hook"),)}
        return self._case.callback(*steps.get(self._hook_kind, ()), name="hook")

    # --- operations, named like the actions of the model --------------------------------------------------------

    def emit(self) -> None:
        self._ask("emit", "", self._run.emit, {True: "EmitTrue", False: "EmitFalse"})

    def emit_terminal(self) -> None:
        labels = {"refused": "EmitTerminalRefused", False: "EmitTerminalFalse"}
        self._ask("emit_terminal", "", lambda: self._refusable(lambda: self._run.emit("run-completed")), labels)

    def finish(self, outcome: Outcome) -> None:
        labels = {reply: f"Finish{outcome.title()}{reply}" for reply in (True, False)}
        self._ask("finish", repr(outcome), lambda: self._run.finish(f"run-{outcome}"), labels)

    def finish_non_terminal(self) -> None:
        labels = {"refused": "FinishNonTerminalRefused", False: "FinishNonTerminalFalse"}
        self._ask("finish_non_terminal", "", lambda: self._refusable(lambda: self._run.finish("log")), labels)

    def work_begin(self) -> None:
        self._ask("work_begin", "", self._run.work_begin, {True: "WorkBeginTrue", False: "WorkBeginFalse"})

    def work_done(self) -> None:
        self._do("work_done()", self._run.work_done, ["WorkDonePaired", "WorkDoneStray"])

    def cancel(self) -> None:
        """The winning cancel goes on in the background while its hook is parked; every other one has to return."""
        self._note("cancel()")
        first = all(not state.claimed and not state.closed for state in self.states)
        if first and self._hook_kind == "parks":
            self._winner = task = Task(self._run.cancel, name="cancel")
            self._case.changes.until(lambda: self._hook.calls or not task.running, self._case.budgets.wait)
        else:
            self._promptly(self._run.cancel, "cancel()")
        self._states_after(["CancelAccepted", "CancelIgnored"])
        if first and self._hook_kind in ("returns", "throws"):
            self._settle()
            self._states_after(["HookReturn"])
        self._settle()

    def hook_return(self) -> None:
        """Let the parked hook return, and with it the cancel that called it."""
        self._note("hook_return()")
        if self._winner is None or not self._winner.running:
            self._fail("cancel returned before its hook did (CANCEL-4)")
        self._case.gate("hook").open()
        self._outcome(self._winner, "the cancel whose hook returned")
        self._states_after(["HookReturn"])
        self._settle()

    def tap(self, parks_at: int | None = None, throws_at: int | None = None) -> None:
        """Subscribe; the callback parks, or throws, on the n-th event it is handed, from 0."""
        number = len(self._run.subscribers) + 1
        when: dict[int | str, tuple[Step, ...]] = {}
        if throws_at is not None:
            when[throws_at] = (throw(base=throws_at % 2 == 1),)
        if parks_at is not None:
            self._parks[number] = parks_at
            when[parks_at] = (wait(f"tap{number}"),)
        line = f"tap(parks_at={parks_at}, throws_at={throws_at})"
        self._do(line, lambda: self._run.tap(when, name=f"tap{number}"), [f"Tap{number}"])

    def close_tap(self, number: int) -> None:
        self._do(f"close_tap({number})", lambda: self._run.close(f"tap{number}"), [f"CloseTap{number}"])

    def unpark(self, number: int) -> None:
        """Let the parked callback of a tap return."""
        self._do(f"unpark({number})", self._case.gate(f"tap{number}").open, [f"Unpark{number}"])

    def end(self) -> None:
        """Look once more, unless it has failed already, then let everybody go who is still parked."""
        try:
            if not self.failed:
                self._settle()
        finally:
            self._case.close()
            for helper in self._helpers:
                helper.stop()

    # --- what a tour asks for -----------------------------------------------------------------------------------

    def do(self, operation: Operation) -> Any:
        """An operation that is given as data; what it replied."""
        getattr(self, operation.name)(*operation.args)
        return self.reply

    def moves_on(self) -> bool:
        """Watch, for as long as one watches for what must not come, whether the run still changes its looks."""
        before = self.view

        def changed() -> bool:
            self.view = self._look()
            return self.view != before

        return self._case.changes.until(changed, self._case.budgets.watch)

    # --- how an operation is compared with the model ------------------------------------------------------------

    def _ask(self, name: str, argument: str, action: Callable[[], Any], labels: Mapping[Any, str]) -> None:
        line = self._note(f"{name}({argument})")
        self.reply = reply = self._promptly(action, line)
        self._lines[-1] += f"  # replied {reply}"
        after = apply(self.states, labels[reply]) if reply in labels else frozenset()
        allowed = [str(reply) for reply, label in labels.items() if apply(self.states, label)]
        if not after:
            self._fail(f"{line} replied {reply}, but must reply {' or '.join(allowed)} ({REQUIREMENTS[name]})")
        self.states = after
        self._settle()

    def _do(self, line: str, action: Callable[[], object], labels: Iterable[str]) -> None:
        self._note(line)
        self._promptly(action, line)
        self._states_after(labels)
        self._settle()

    def _promptly(self, action: Callable[[], T], line: str) -> T:
        with self._showing_the_program():
            return next(self._turns).outcome(action, self._case.budgets.wait, line)

    def _outcome(self, task: Task[None], line: str) -> None:
        with self._showing_the_program():
            task.outcome(self._case.budgets.wait, line)

    def _states_after(self, labels: Iterable[str]) -> None:
        """For operations without a reply: whichever of the steps the model takes."""
        self.states = frozenset(after for label in labels for after in apply(self.states, label))

    def _settle(self) -> None:
        """Wait until the run is at rest in a way that the model allows, and keep the states that look like it."""
        parks = frozenset(self._parks.items())
        _, allowed = _at_rest(self.states, parks)

        def decided() -> bool:
            self.view = self._look()
            return self.view in allowed or not any(self.view.may_become(later) for later in allowed)

        self._case.changes.until(decided, self._case.budgets.wait)
        if self.view not in allowed:
            self._fail(difference(self.view, allowed))
        self.states = _narrowed(self.states, parks, self.view)

    def _look(self) -> View:
        with self._showing_the_program():
            return view_of_run(self._run, self._hook)

    def _refusable(self, action: Callable[[], Any]) -> Any:
        try:
            return action()
        except Raised:
            return "refused"

    def _note(self, line: str) -> str:
        self._lines.append(f"program.{line}")
        self.reply = None
        return line

    @contextmanager
    def _showing_the_program(self) -> Iterator[None]:
        try:
            yield
        except AssertionError as wrong:
            self._fail(str(wrong), wrong.__cause__)
        except Fault as fault:
            self.failed = True
            raise type(fault)(self._shown(str(fault))) from None

    def _fail(self, problem: str, cause: BaseException | None = None) -> NoReturn:
        """Raise with the problem and the program that shows it."""
        __tracebackhide__ = True
        self.failed = True
        raise AssertionError(self._shown(problem)) from cause

    def _shown(self, problem: str) -> str:
        lines = ["from agent_run_tck.model.program import Program", "", *self._lines]
        return "\n".join([problem, "", "The program that shows it:", "", *(f"    {line}" for line in lines)])


@lru_cache(maxsize=2**14)
def _at_rest(states: frozenset[State], parks: frozenset[tuple[int, int]]) -> tuple[frozenset[State], frozenset[View]]:
    """Where the run may be once it has done what it owes, and how that looks."""
    at_rest = resting(states, dict(parks))
    return at_rest, frozenset(view_of_state(state) for state in at_rest)


@lru_cache(maxsize=2**14)
def _narrowed(states: frozenset[State], parks: frozenset[tuple[int, int]], view: View) -> frozenset[State]:
    """Where the run may be that looks like `view`. Where it may still go on, it may be on its way there."""
    at_rest, allowed = _at_rest(states, parks)
    surely_at_rest = not any(view != later and view.may_become(later) for later in allowed)
    candidates = at_rest if surely_at_rest else reachable(states, dict(parks))
    return frozenset(state for state in candidates if view.may_become(view_of_state(state)))
