"""Runs a parallel program on an implementation once, and judges what was recorded."""

import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from attrs import frozen

from agent_run_tck.asyncio_adapter import AsyncioAdapter
from agent_run_tck.budgets import Budgets
from agent_run_tck.histories.disturbing import Disturber
from agent_run_tck.histories.explain import called
from agent_run_tck.histories.history import History
from agent_run_tck.histories.program import ParallelProgram
from agent_run_tck.histories.search import Verdict, check
from agent_run_tck.index import example_payload
from agent_run_tck.protocol import Implementation
from agent_run_tck.recording import RecordedTap, Recording
from agent_run_tck.steering import Changes, Hang, Task

KINDS = {"completed": "run-completed", "failed": "run-failed", "cancelled": "run-cancelled"}


@frozen
class Outcome:
    """What one run of a program came to: `hang` says what did not come to its end, and is empty otherwise."""

    program: ParallelProgram
    verdict: Verdict
    hang: str = ""

    @property
    def right(self) -> bool:
        return self.verdict.allowed and not self.hang

    @classmethod
    def of_a_recording(cls, history: History, program: ParallelProgram) -> "Outcome":
        """What was recorded once; a call that has not returned hangs."""
        hangs = [call for call in history.calls.values() if call.returns is None]
        texts = [f"{called(call)} on {call.thread} has not returned" for call in hangs]
        return cls(program, check(history), " and ".join(texts))

    @property
    def waited(self) -> bool:
        """Whether it took a deadline to see that it is not right."""
        return bool(self.hang) or self.verdict.at == len(self.verdict.history.records) - 1


def takes_calls_from_threads(implementation: Implementation) -> bool:
    """Whether several threads may call it at once; the adapter for asyncio takes their calls to its loop."""
    return implementation.capabilities.threads or isinstance(implementation.adapter, AsyncioAdapter)


def run(
    implementation: Implementation, program: ParallelProgram, budgets: Budgets, disturber: Disturber | None = None
) -> Outcome:
    """Run the program, finish the run, wait for what it owes, and judge. Blocks for at most a few times `budgets.wait`.

    With a disturber, inside its block, the threads meet more often.
    """
    if disturber is None:
        disturber = Disturber(0)
    disturber.draw()
    execution = Execution(implementation, program, budgets, disturber)
    hang = ""
    try:
        execution.execute()
    except Hang as problem:
        hang = str(problem)
    return Outcome(program, check(execution.history(False)) if hang else execution.settled(), hang)


class Execution:
    """One run of the implementation on which a program is executed, once."""

    def __init__(
        self, implementation: Implementation, program: ParallelProgram, budgets: Budgets, disturber: Disturber
    ) -> None:
        self._program = program
        self._disturber = disturber
        self._budgets = budgets
        self._changes = Changes()
        self._adapter = implementation.adapter
        self._taps: dict[str, RecordedTap] = {}
        self._granted: list[int] = []
        hook = None if program.hook == "unset" else disturber.point
        self._recording = disturber.made(lambda: Recording(implementation, on_cancel=hook))
        self._run = self._recording.run

    def execute(self) -> None:
        """Raises Hang when a call does not come back."""
        self._side_by_side([self._program.before], "before")
        self._disturber.start()
        try:
            self._side_by_side(self._program.threads, "thread")
        finally:
            self._disturber.rest()
        rest = ["work_done"] * len(self._granted)
        # Where nobody has tapped, what was accepted has still to be seen.
        tap = [] if self._taps else ["tap after"]
        self._side_by_side([[*tap, *rest, "finish completed"]], "after")

    def history(self, settled: bool) -> History:
        header, *records = self._recording.records(settled, cut=not settled)
        return History(header, records)

    def settled(self) -> Verdict:
        """The verdict once the run has done what it owes, or has not within the budget."""
        found: list[Verdict] = []

        def decided() -> bool:
            history = self.history(settled=True)
            if not {"result", "drained"} <= {record.get("kept") for record in history.records}:
                return False
            found.append(check(history))
            return found[-1].at != len(history.records) - 1

        if self._changes.until(decided, self._budgets.wait):
            return found[-1]
        return check(self.history(settled=True))

    def _side_by_side(self, scripts: Sequence[Sequence[str]], name: str) -> None:
        if not scripts:
            return
        line = threading.Barrier(len(scripts))
        names = [name] if name != "thread" else [f"thread {number}" for number in range(1, len(scripts) + 1)]
        tasks = [Task(partial(self._follow, script, line), each) for script, each in zip(scripts, names, strict=True)]
        for task, each in zip(tasks, names, strict=True):
            task.outcome(self._budgets.wait, f"what is called on {each}")

    def _follow(self, script: Sequence[str], line: threading.Barrier) -> None:
        line.wait(self._budgets.wait)
        for step in script:
            name, _, argument = step.partition(" ")
            with suppress(BaseException):  # it is recorded, and judged as a reply
                getattr(self, f"_{name}")(argument)

    # --- the steps of a program ---------------------------------------------------------------------------------

    def _emit(self, argument: str) -> None:
        self._run.emit(self._event("log"))

    def _finish(self, outcome: str) -> None:
        self._run.finish(self._event(KINDS[outcome]))

    def _cancel(self, argument: str) -> None:
        self._run.cancel()

    def _work_begin(self, argument: str) -> None:
        if self._run.work_begin() is True:
            self._granted.append(1)

    def _work_done(self, argument: str) -> None:
        """Of a section that was granted, for of any other nothing is promised (decisions 7 and 25)."""
        with suppress(IndexError):
            self._granted.pop()
            self._run.work_done()

    def _tap(self, name: str) -> None:
        self._taps[name] = self._run.tap(lambda event: self._disturber.point(), self._changes.notify)

    def _close(self, name: str) -> None:
        if name in self._taps:
            self._taps[name].close()

    def _observe(self, what: str) -> None:
        look: Any = getattr(self._run, what)
        if not isinstance(look, bool):
            _ = look.status

    def _event(self, kind: str) -> Any:
        return self._adapter.make_event(kind, example_payload(kind))
