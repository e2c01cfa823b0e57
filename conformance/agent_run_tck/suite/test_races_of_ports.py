"""Races inside a port, which has its threads start at one line: those of the suite are too far away to meet there.

Each check may see others violated than its own. Green means: not found in so many trials.
"""

from collections.abc import Sequence
from itertools import pairwise

import pytest

from agent_run_tck.callbacks import Subscriber
from agent_run_tck.case import Case
from agent_run_tck.driven import DrivenRun
from agent_run_tck.races.trial import Violated
from agent_run_tck.searching import Record
from agent_run_tck.steps import cancel, emit, finish, observe, work_begin, work_done
from agent_run_tck.suite.marks import OUTCOMES, requirement, stochastic
from agent_run_tck.suite.taps import over
from agent_run_tck.wire.racing import Ran, raced, tried

pytestmark = [pytest.mark.port]


def demand(holds: object, id: str, text: str) -> None:
    if not holds:
        raise Violated(id, text)


def told(scripts: Sequence[Sequence[Ran]]) -> str:
    return "; ".join(" ".join(map(str, script)) for script in scripts)


def replies(scripts: Sequence[Sequence[Ran]], name: str) -> list[object]:
    return [ran.reply for script in scripts for ran in script if ran.step.name == name]


def published_once(case: Case, subscriber: Subscriber, scripts: Sequence[Sequence[Ran]]) -> None:
    """All that emit replied true for was published, and the terminal after it."""
    over(case, subscriber)
    wanted = list(range(replies(scripts, "emit").count(True) + 1))
    demand(subscriber.seqs == wanted, "EMIT-9", f"{told(scripts)}: published are the seqs {subscriber.seqs}")
    demand(subscriber.log[-1] == "done", "STREAM-6", f"{told(scripts)}: the stream is {subscriber.log}")


def a_false_finds_the_run_done(id: str, name: str, scripts: Sequence[Sequence[Ran]]) -> None:
    """Whoever is told false looks at the run right after, and must find it done."""
    for script in scripts:
        for ran, after in pairwise(script):
            if ran.step.name == name and ran.reply is False and after.step.name == "observe":
                demand(after.reply.is_done, id, f"{told([script])}: false says that the run is done")


def closed_for_all_at_once(scripts: Sequence[Sequence[Ran]]) -> None:
    """Once the run was seen done nothing is accepted."""
    every = [ran for script in scripts for ran in script]
    for seen in (ran for ran in every if ran.step.name == "observe" and ran.reply.is_done):
        late = [ran for ran in every if ran.step.name == "emit" and ran.reply is True and seen.before(ran)]
        demand(not late, "FINISH-3", f"{told(scripts)}: an emit was accepted after the run was seen done")


@stochastic
@requirement("EMIT-9", needs="threads")
def test_threads_of_a_port_emit(case: Case, record: Record) -> None:
    def trial(case: Case) -> None:
        run = case.run()
        subscriber = run.tap()
        scripts = raced(case, run, *[[emit()] * 5] * 4)
        demand(replies(scripts, "emit") == [True] * 20, "EMIT-1", f"{told(scripts)}: all must be true")
        run.finish()
        published_once(case, subscriber, scripts)

    tried(case, record, "threads of a port emit", trial)


@stochastic
@requirement("EMIT-10", needs="threads")
def test_a_finish_among_emits_in_a_port(case: Case, record: Record) -> None:
    def trial(case: Case) -> None:
        run = case.run()
        subscriber = run.tap()
        emits = [emit(), observe()] * 3
        scripts = raced(case, run, emits, emits, [finish(), observe()])
        published_once(case, subscriber, scripts)
        a_false_finds_the_run_done("EMIT-10", "emit", scripts)
        closed_for_all_at_once(scripts)

    tried(case, record, "a finish among emits in a port", trial)


@stochastic
@requirement("EMIT-11", needs="threads")
def test_order_respects_time_in_a_port(case: Case, record: Record) -> None:
    def trial(case: Case) -> None:
        run = case.run()
        subscriber = run.tap()
        kinds = ("log", "token", "round-started")
        scripts = raced(case, run, *([emit(kind)] * 4 for kind in kinds))
        run.finish()
        published_once(case, subscriber, scripts)
        seq_of = {}
        for kind, script in zip(kinds, scripts, strict=True):
            own = [event["seq"] for event in subscriber.events if event["kind"] == kind]
            seq_of.update({id(ran): seq for ran, seq in zip(script, own, strict=True)})
        every = [ran for script in scripts for ran in script]
        wrong = [(a, b) for a in every for b in every if a.before(b) and seq_of[id(a)] > seq_of[id(b)]]
        demand(not wrong, "EMIT-11", f"an emit that had returned has a larger seq than a later one: {subscriber.kinds}")

    tried(case, record, "order respects time in a port", trial)


@stochastic
@requirement("FINISH-4", needs="threads")
def test_threads_of_a_port_finish(case: Case, record: Record) -> None:
    def trial(case: Case) -> None:
        run = case.run()
        subscriber = run.tap()
        scripts = raced(case, run, *([finish(f"run-{outcome}", final=outcome), observe()] for outcome in OUTCOMES))
        won = [outcome for outcome, script in zip(OUTCOMES, scripts, strict=True) if script[0].reply is True]
        demand(len(won) == 1, "FINISH-4", f"{told(scripts)}: just one finish must win")
        over(case, subscriber)
        result = run.result.value
        ends = (subscriber.kinds, result["outcome"], result["final"])
        demand(
            ends == ([f"run-{won[0]}"], won[0], won[0]), "FINISH-4", f"{won[0]} won, and published and kept is {ends}"
        )
        a_false_finds_the_run_done("FINISH-5", "finish", scripts)

    tried(case, record, "threads of a port finish", trial)


def cancelled_as_called(run: DrivenRun, scripts: Sequence[Sequence[Ran]], calls: int, id: str) -> None:
    """Hook and cancellation go together, and at the most once."""
    wanted = int(run.is_cancelled)
    demand(
        calls == wanted, id, f"{told(scripts)}: is_cancelled is {run.is_cancelled}, the hook was called {calls} times"
    )


@stochastic
@requirement("CANCEL-9", needs="threads")
def test_threads_of_a_port_cancel(case: Case, record: Record) -> None:
    def trial(case: Case) -> None:
        hook = case.callback(name="hook")
        run = case.run(on_cancel=hook)
        continuation = run.cancellation.then()
        scripts = raced(case, run, *[[cancel(), observe()]] * 3)
        case.eventually(lambda: continuation.returned, "the continuation of the cancellation is called")
        demand(run.is_cancelled, "CANCEL-1", f"{told(scripts)}: the run must be cancelled")
        cancelled_as_called(run, scripts, len(hook.calls), "CANCEL-9")

    tried(case, record, "threads of a port cancel", trial)


@stochastic
@requirement("CANCEL-10", needs="threads")
def test_a_cancel_and_a_finish_in_a_port(case: Case, record: Record) -> None:
    def trial(case: Case) -> None:
        hook = case.callback(name="hook")
        run = case.run(on_cancel=hook)
        scripts = raced(case, run, [cancel(), observe()], [finish("run-cancelled")])
        cancelled_as_called(run, scripts, len(hook.calls), "CANCEL-10")

    tried(case, record, "a cancel and a finish in a port", trial)


@stochastic
@requirement("DRAIN-8", needs="threads")
def test_a_finish_and_the_last_work_done_in_a_port(case: Case, record: Record) -> None:
    def trial(case: Case) -> None:
        run = case.run()
        continuation = run.drained.then()
        for _ in range(2):
            run.work_begin()
        scripts = raced(case, run, [work_done()], [finish()], [work_done()])
        done = case.changes.until(lambda: continuation.returned, case.budgets.wait)
        demand(done, "DRAIN-8", f"{told(scripts)}: drained must be kept, and its continuation called")
        demand(len(continuation.calls) == 1, "DRAIN-8", f"drained was kept {len(continuation.calls)} times")

    tried(case, record, "a finish and the last work_done in a port", trial)


@stochastic
@requirement("WORK-6", needs="threads")
def test_a_work_begin_and_a_finish_in_a_port(case: Case, record: Record) -> None:
    def trial(case: Case) -> None:
        run = case.run()
        scripts = raced(case, run, [work_begin()], [finish()], [work_begin()])
        opened = replies(scripts, "work_begin").count(True)
        for left in range(opened, 0, -1):
            held = run.drained.status == "planned"
            demand(held, "WORK-6", f"{told(scripts)}: drained is kept with {left} sections open")
            run.work_done()
        case.eventually(lambda: run.drained.status == "kept", f"drained is kept after {told(scripts)}")

    tried(case, record, "a work_begin and a finish in a port", trial)
