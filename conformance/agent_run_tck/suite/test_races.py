"""What only repeated races can show. Each check tries one scenario, and may see others violated than its own.

The scenarios, and what must hold in them, are in `agent_run_tck/races`. Green means: not found in so many trials.
"""

from agent_run_tck.suite.marks import Race, requirement, stochastic


@stochastic
@requirement("EMIT-9", needs="threads")
def test_several_threads_emit(race: Race) -> None:
    race("several threads emit")


@stochastic
@requirement("EMIT-10", needs="threads")
def test_a_finish_among_emits(race: Race) -> None:
    race("a finish among emits")


@stochastic
@requirement("EMIT-11", needs="threads")
def test_two_threads_emit_in_turn(race: Race) -> None:
    race("two threads emit in turn")


@stochastic
@requirement("FINISH-3", needs="threads")
def test_a_finish_that_is_watched(race: Race) -> None:
    race("a finish that is watched")


@stochastic
@requirement("FINISH-4", needs="threads")
def test_several_threads_finish(race: Race) -> None:
    race("several threads finish")


@stochastic
@requirement("FINISH-5", needs="threads")
def test_two_finishes_and_one_looks(race: Race) -> None:
    race("two finishes, and one looks")


@stochastic
@requirement("CANCEL-9", needs="threads")
def test_several_threads_cancel(race: Race) -> None:
    race("several threads cancel")


@stochastic
@requirement("CANCEL-10", needs="threads")
def test_a_cancel_and_a_finish(race: Race) -> None:
    race("a cancel and a finish")


@stochastic
@requirement("DRAIN-8", needs="threads")
def test_a_finish_and_the_last_work_done(race: Race) -> None:
    race("a finish and the last work_done")


@stochastic
@requirement("WORK-6", needs="threads")
def test_a_work_begin_and_a_finish(race: Race) -> None:
    race("a work_begin and a finish")
