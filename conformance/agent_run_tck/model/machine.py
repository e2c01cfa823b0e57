"""A Hypothesis state machine over the model: it draws programs that the model can follow, beyond the graph's bounds.

Rules bear the names of the model's actions. What is left out is what a single caller cannot bring about without
blocking, and what the contract promises nothing about: a tap while a callback is parked (decision 20), a stray
work_done while the hook is out (decision 25). Who is parked may depend on when a close came, and a precondition must
not: Hypothesis tries each program again. Such a rule does nothing where it does not apply.
"""

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from agent_run_tck.budgets import Budgets
from agent_run_tck.model.contract import OUTCOMES, Outcome, State
from agent_run_tck.model.program import HookKind, Program
from agent_run_tck.protocol import Implementation

MOST_TAPS = 3


class ContractMachine(RuleBasedStateMachine):
    """One program for each example; what may come next is read from the states that the model allows."""

    implementation: Implementation
    budgets: Budgets

    @initialize(hook=st.sampled_from(["unset", "returns", "throws", "parks"]))
    def create(self, hook: HookKind) -> None:
        if hook == "parks" and not self.implementation.capabilities.threads:
            hook = "returns"
        self.program = Program(self.implementation, hook, self.budgets)
        self.may_be_parked = False

    def _some(self) -> State:
        """One of the states, for what they all have in common."""
        return next(iter(self.program.states))

    def _nobody_parked(self) -> bool:
        return not any(state.any_parked for state in self.program.states)

    @rule()
    def emit(self) -> None:
        self.program.emit()

    @rule()
    def emit_terminal(self) -> None:
        self.program.emit_terminal()

    @rule(outcome=st.sampled_from(OUTCOMES))
    def finish(self, outcome: Outcome) -> None:
        self.program.finish(outcome)

    @rule()
    def finish_non_terminal(self) -> None:
        self.program.finish_non_terminal()

    @rule()
    def cancel(self) -> None:
        self.program.cancel()

    @precondition(lambda self: all(state.hook == "running" for state in self.program.states))
    @rule()
    def hook_return(self) -> None:
        self.program.hook_return()

    @rule()
    def work_begin(self) -> None:
        self.program.work_begin()

    @precondition(lambda self: self._some().sections > 0 or not self._some().hook_is_out)
    @rule()
    def work_done(self) -> None:
        self.program.work_done()

    @precondition(lambda self: len(self._some().tap) < MOST_TAPS)
    @rule(throws_at=st.none() | st.integers(0, 3), parks_at=st.none() | st.integers(0, 3))
    def tap(self, throws_at: int | None, parks_at: int | None) -> None:
        if not self._nobody_parked():
            return
        # A callback that parks on the backlog may hold up this very call (decision 14).
        fresh = all(state.published == len(state.log) for state in self.program.states)
        may_park = fresh and self.implementation.capabilities.threads
        self.may_be_parked |= parks_at is not None
        self.program.tap(parks_at if may_park else None, throws_at)

    @precondition(lambda self: self._some().tap)
    @rule(which=st.integers(1, MOST_TAPS))
    def close_tap(self, which: int) -> None:
        self.program.close_tap(1 + which % len(self._some().tap))

    def _parked(self) -> list[int]:
        """The taps that are parked for sure."""
        numbers = range(1, len(self._some().tap) + 1)
        return [number for number in numbers if all(state.tap[number - 1].parked for state in self.program.states)]

    @precondition(lambda self: self.may_be_parked)
    @rule()
    def unpark(self) -> None:
        if parked := self._parked():
            self.program.unpark(parked[0])

    def teardown(self) -> None:
        try:
            self.program.end()
        finally:
            if self.program.failed:  # while the program is made shorter, it need not be waited for as long each time
                type(self).budgets = self.budgets.hurried()


def machine_for(implementation: Implementation, budgets: Budgets) -> type[ContractMachine]:
    """The machine's class for one implementation; Hypothesis makes an instance for each program."""
    return type("ContractMachine", (ContractMachine,), {"implementation": implementation, "budgets": budgets})
