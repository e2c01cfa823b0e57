"""PROMISE: registering a continuation while the promise is being kept."""

from agent_run_tck.suite.marks import Race, requirement, stochastic


@stochastic
@requirement("PROMISE-1", needs="threads")
def test_continuations_while_the_promises_are_kept(race: Race) -> None:
    race("continuations while the promises are kept")
