"""One check's surroundings: runs of the implementation whose every operation is noted, and waits with deadlines."""

import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from agent_run_tck.budgets import Budgets
from agent_run_tck.callbacks import Callback
from agent_run_tck.driven import DrivenRun, Raised
from agent_run_tck.index import example_payload, terminal_kinds
from agent_run_tck.protocol import Adapter, Handle, Implementation
from agent_run_tck.steering import Changes, Gate, Task, together
from agent_run_tck.steps import Step
from agent_run_tck.wire.faults import Fault

if TYPE_CHECKING:
    from agent_run_tck.wire.session import Session

T = TypeVar("T")


class Case:
    """What a check works with. Made fresh for each, and closed by the fixture."""

    def __init__(self, implementation: Implementation, budgets: Budgets) -> None:
        self.implementation = implementation
        self.capabilities = implementation.capabilities
        self.budgets = budgets
        self.terminal_kinds = terminal_kinds()
        self.changes = Changes()
        self.runs: dict[str, DrivenRun] = {}
        self._made = 0
        self.history: list[list[str]] = []
        self.problems: list[BaseException] = []
        self.spoilt = False
        self.awaited = False  # whether somebody has waited for a result, or registered a continuation of it
        self._gates: dict[str, Gate] = {}
        self._numbers = itertools.count(1)
        opened = getattr(implementation.adapter, "session", None)
        self.session: Session | None = opened(self) if opened is not None else None
        self.adapter: Adapter = self.session or implementation.adapter

    # --- what a check makes -------------------------------------------------------------------------------------

    def run(self, run_id: str | None = None, on_cancel: Callback | None = None, name: str = "") -> DrivenRun:
        """A new run of the implementation, called `name` in the history and in steps (`on=`)."""
        self._made += 1
        name = name or (f"run{self._made}" if self._made > 1 else "run")
        run = self.runs[name] = DrivenRun(self, name, run_id, on_cancel)
        return run

    def forget(self, run: DrivenRun) -> None:
        """Let go of a run with all its taps, callbacks and promises, as a user who drops it."""
        del self.runs[run.name]
        self.note(f"{run.name} is dropped")

    def callback(self, *steps: Step, name: str = "") -> Callback:
        """A hook or continuation that notes its calls and then follows `steps`."""
        return Callback(self, name or f"callback{next(self._numbers)}", steps)

    def gate(self, name: str) -> Gate:
        """The gate that steps call `name`."""
        if name not in self._gates:
            self._gates.setdefault(name, self.session.gate(name) if self.session else Gate(name, self.changes))
        return self._gates[name]

    def event(self, kind: str = "log", payload: Mapping[str, Any] | None = None) -> Any:
        """An unpublished event of the implementation; without a payload, the smallest that there is."""
        return self.adapter.make_event(kind, example_payload(kind) if payload is None else payload)

    def event_to_give(self, kind: str, payload: Mapping[str, Any] | None = None) -> Any:
        """The same for a single use, which may be made where it is used."""
        if self.session is None:
            return self.event(kind, payload)
        return self.session.event_to_give(kind, example_payload(kind) if payload is None else payload)

    def plain(self, event: Any) -> dict[str, Any]:
        return self.adapter.plain(event)

    def create_run(self, name: str, run_id: str | None, on_cancel: Callback | None) -> Handle:
        """A bare run of the implementation; in another process it has to go by a name."""
        if self.session is not None:
            return self.session.create_run(run_id, on_cancel, name)
        return self.adapter.create_run(run_id, on_cancel)

    # --- how a check waits --------------------------------------------------------------------------------------

    def eventually(self, condition: Callable[[], object], what: str | Callable[[], str]) -> None:
        """Wait for what must come; `what` completes the sentence «it never came that …», and may be a function."""
        __tracebackhide__ = True
        came = self.changes.until(lambda: self.problems or condition(), self.budgets.wait)
        self.raise_problems()
        if not came:
            text = what if isinstance(what, str) else what()
            raise AssertionError(f"within {self.budgets.wait:.3g} s it never came that {text}")

    def never(self, condition: Callable[[], object], what: str) -> None:
        """Watch for what must not come; `what` completes the sentence «it must not be that …».

        The check has to show as well that something else did happen.
        """
        __tracebackhide__ = True
        came = self.changes.until(condition, self.budgets.watch)
        self.raise_problems()
        if came:
            raise AssertionError(f"it must not be that {what}")

    def parked(self, gate: str, how_many: int = 1) -> None:
        """Wait until so many callbacks stand at the gate."""
        __tracebackhide__ = True
        self.eventually(lambda: self.gate(gate).arrivals >= how_many, f"{how_many} callbacks stand at gate {gate}")

    def promptly(self, action: Callable[[], T], what: str) -> T:
        """Call `action` on a thread of its own; it fails when that does not come back within the budget."""
        __tracebackhide__ = True
        return Task(action).outcome(self.budgets.wait, what)

    def start(self, action: Callable[[], T], name: str = "helper") -> Task[T]:
        """Call `action` on a thread of its own and go on; `outcome(case.budgets.wait, …)` waits for it."""
        return Task(action, name)

    def together(self, actions: Sequence[Callable[[], Any]], what: str) -> list[Any]:
        """Call all actions at once, each on a thread of its own; their results in order."""
        return together(list(actions), self.budgets.wait, what)

    def refused(self, action: Callable[[], Any], what: str) -> None:
        """The operation in `action` must be refused with an error; `what` completes «the run must refuse …»."""
        __tracebackhide__ = True
        try:
            reply = action()
        except Raised:
            return
        raise AssertionError(f"the run must refuse {what} with an error, but it replied {reply!r}")

    def accepted(self, action: Callable[[], bool]) -> bool:
        """What `action` replies; an error counts as false, for where both are right (decision 13)."""
        try:
            return action()
        except Raised:
            return False

    # --- what callbacks use -------------------------------------------------------------------------------------

    def joined(self, action: Callable[[], None], who: str) -> None:
        """Call `action` on another thread and join it, for a callback called `who`."""
        what = f"what {who} called through a second thread that it joins"
        self.shield(lambda: Task(action).outcome(self.budgets.wait, what))

    def shield(self, action: Callable[[], T]) -> T | Any:
        """For callbacks, whose exceptions the implementation swallows: what goes wrong is kept for the check."""
        try:
            return action()
        except BaseException as error:
            self.problems.append(error)
            self.changes.notify()
            raise

    def raise_problems(self) -> None:
        """Raise the first thing that went wrong inside a callback."""
        __tracebackhide__ = True
        if self.problems:
            raise self.problems[0]

    def verdict(self, failure: BaseException) -> BaseException:
        """The failure of the check, or what is at fault for it, if another process has died or hangs."""
        self.spoilt = True
        if self.session is None or isinstance(failure, Fault):
            return failure
        return self.session.fault() or failure

    def note(self, what: str, detail: str = "") -> list[str]:
        """Write a line of the history; the third field is filled in when a reply comes."""
        entry = [threading.current_thread().name, f"{what} {detail}".rstrip(), ""]
        self.history.append(entry)
        return entry

    def close(self) -> None:
        """Let everybody go who is still parked. A Fault when another process does not end well."""
        if self.session is not None:
            self.session.close(self.spoilt)
            return
        for gate in self._gates.values():
            gate.open()
