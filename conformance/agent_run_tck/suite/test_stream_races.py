"""STREAM: what the steered checks cannot force, because the gap is too small to park somebody in it."""

from agent_run_tck.suite.marks import Race, requirement, stochastic


@stochastic
@requirement("STREAM-12", needs="threads")
def test_a_first_tap_among_emits(race: Race) -> None:
    race("a first tap among emits")


@stochastic
@requirement("STREAM-16", needs="threads")
def test_taps_that_come_and_go(race: Race) -> None:
    race("taps that come and go")
