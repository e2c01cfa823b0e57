"""The scenarios: small races, each of which can show that some requirements are violated."""

from collections.abc import Callable, Sequence

from attrs import frozen

from agent_run_tck.races import laws
from agent_run_tck.races.owed import first_owed
from agent_run_tck.races.trial import Body, RacingRun, Trial, Violated


@frozen
class Scenario:
    """A race of two to four threads.

    `requirements`: what it was made to see violated, the most specific first. `build` makes runs and callbacks and
    returns what the threads do. When the threads have ended, `owed` is asked until it is None: then the runs are at
    rest. What stays owed is a violation. `judge` raises Violated for what was seen at rest, or later.
    """

    name: str
    requirements: tuple[str, ...]
    build: Callable[[Trial], Sequence[Body]]
    law: laws.Law
    once: str = "EMIT-9"
    drained: str = "DRAIN-2"

    def bodies(self, trial: Trial) -> list[Body]:
        """What `build` returns, with a name in the history for each thread. Call it once, then run each on a thread."""
        return [trial.named(f"thread {number}", body) for number, body in enumerate(self.build(trial), 1)]

    def owed(self, trial: Trial) -> Violated | None:
        """What has not come yet and must, once the threads have ended. Never blocks."""
        return next((debt for run in trial.runs if (debt := first_owed(run, self.once, self.drained))), None)

    def hang(self, trial: Trial) -> str:
        """The requirement that a hang violates: a wait's, when nothing else hangs and the run is finished."""
        hanging = [(run, call) for run in trial.runs for call in run.calls.copy() if call.end is None]
        only_waits = all(call.operation == "wait" and run.granted("finish") for run, call in hanging)
        return "PROMISE-4" if hanging and only_waits else self.requirements[0]

    def judge(self, trial: Trial) -> None:
        """Raise Violated for what must not be. Never blocks; may be asked again later."""
        for run in trial.runs:
            self.law(run)


def emitter(run: RacingRun, *names: str) -> Body:
    """Emits one event after the other; who is told false looks whether the run is done."""
    emits = [run.emitting(name) for name in names]

    def body() -> None:
        for emit in emits:
            if not emit():
                run.is_done()

    return body


def finisher(run: RacingRun, outcome: str, name: str) -> Body:
    """Finishes; who is told false looks whether the run is done."""
    finish = run.finishing(outcome, name)
    return lambda: finish() or run.is_done()


def watcher(run: RacingRun, name: str) -> Body:
    """Looks whether the run is done, twice, and emits in any case: one that is seen done must refuse."""
    emit = run.emitting(name)

    def body() -> None:
        run.is_done()
        run.is_done()
        emit()

    return body


def in_turn(*bodies: Body) -> Body:
    def body() -> None:
        for each in bodies:
            each()

    return body


def worker(run: RacingRun, section: str) -> Body:
    """Opens a section, looks inside it whether drained is kept, and closes it."""

    def body() -> None:
        if run.work_begin(section):
            run.status("drained")
            run.status("drained")
            run.work_done(section)

    return body


def several_emit(trial: Trial) -> Sequence[Body]:
    run = trial.run()
    run.tap()
    return [emitter(run, "a1", "a2"), emitter(run, "b1", "b2"), emitter(run, "c1", "c2")]


def two_emit_in_turn(trial: Trial) -> Sequence[Body]:
    run = trial.run()
    run.tap()
    return [emitter(run, "a1", "a2", "a3", "a4"), emitter(run, "b1", "b2", "b3", "b4")]


def finish_among_emits(trial: Trial) -> Sequence[Body]:
    run = trial.run()
    run.tap()
    return [emitter(run, "a1", "a2"), finisher(run, "completed", "end"), watcher(run, "b1"), emitter(run, "c1", "c2")]


def finish_and_watchers(trial: Trial) -> Sequence[Body]:
    run = trial.run()
    run.tap()
    return [watcher(run, "a"), finisher(run, "failed", "end"), watcher(run, "b")]


def two_finish_and_one_looks(trial: Trial) -> Sequence[Body]:
    run = trial.run()
    look = in_turn(run.is_done, run.is_done, run.is_done)
    return [finisher(run, "completed", "a"), finisher(run, "cancelled", "b"), look, lambda: run.wait("result")]


def several_finish(trial: Trial) -> Sequence[Body]:
    run = trial.run()
    run.tap()
    return [finisher(run, outcome, f"by-{outcome}") for outcome in ("completed", "failed", "cancelled")]


def several_cancel(trial: Trial) -> Sequence[Body]:
    run = trial.run(hook=True)
    run.then("cancellation")
    return [run.cancel, run.cancel, in_turn(run.is_cancelled, run.cancel, run.is_cancelled)]


def cancel_and_finish(trial: Trial) -> Sequence[Body]:
    run = trial.run(hook=True)
    run.then("cancellation")
    run.tap()
    return [run.cancel, finisher(run, "completed", "end"), in_turn(run.is_cancelled, run.is_cancelled)]


def finish_and_last_work_done(trial: Trial) -> Sequence[Body]:
    run = trial.run()
    run.then("drained")
    for section in ("a", "b"):
        run.work_begin(section)
    return [
        finisher(run, "completed", "end"),
        in_turn(lambda: run.status("drained"), lambda: run.work_done("a")),
        in_turn(lambda: run.status("drained"), lambda: run.work_done("b")),
    ]


def work_begin_and_finish(trial: Trial) -> Sequence[Body]:
    run = trial.run()
    run.then("drained")
    return [worker(run, "a"), finisher(run, "completed", "end"), worker(run, "b")]


def first_tap_among_emits(trial: Trial) -> Sequence[Body]:
    """Two taps are made at once: one of them is the first, and gets the whole run."""
    run = trial.run()
    emitter(run, "early1", "early2")()
    return [emitter(run, "a1", "a2"), run.tap, emitter(run, "b1", "b2"), lambda: run.tap("other")]


def taps_come_and_go(trial: Trial) -> Sequence[Body]:
    run = trial.run()
    run.tap("first")
    leaving = run.tap("leaving")
    return [
        emitter(run, "a1", "a2"),
        lambda: run.tap("late"),
        lambda: run.close(leaving),
        finisher(run, "completed", "end"),
    ]


def then_while_keeping(trial: Trial) -> Sequence[Body]:
    """A section is closed while the hook may run: whether drained waits for the hook is open, but not for ever."""
    run = trial.run(hook=True)
    run.work_begin("a")
    return [
        lambda: (run.then("result"), run.then("drained"), run.then("cancellation")),
        run.cancel,
        in_turn(finisher(run, "completed", "end"), lambda: run.work_done("a")),
        lambda: (run.then("cancellation"), run.then("drained"), run.then("result")),
    ]


_STREAM = laws.each(
    laws.nothing_raises,
    laws.one_at_a_time,
    laws.whole_stream(),
    laws.done_follows_the_terminal,
    laws.order_of_emits,
    laws.terminal_finds_done,
)
_END = laws.each(laws.one_step, laws.told_false_finds_done, laws.done_stays, laws.one_finish_wins, _STREAM)
_CANCEL = laws.each(
    laws.nothing_raises,
    laws.one_hook_call,
    laws.hook_and_cancellation_agree,
    laws.done_stays,
    laws.one_finish_wins,
    laws.terminal_finds_done,
)

SCENARIOS = (
    Scenario("several threads emit", ("EMIT-9", "EMIT-2", "STREAM-7"), several_emit, _STREAM),
    Scenario("two threads emit in turn", ("EMIT-11", "EMIT-9"), two_emit_in_turn, _STREAM),
    Scenario("a finish among emits", ("EMIT-10", "EMIT-9", "FINISH-3", "STREAM-6"), finish_among_emits, _END),
    Scenario("a finish that is watched", ("FINISH-3", "IDENT-2", "STREAM-14"), finish_and_watchers, _END),
    Scenario(
        "two finishes, and one looks",
        ("FINISH-5", "FINISH-4", "PROMISE-4"),
        two_finish_and_one_looks,
        laws.each(_END, laws.waits_get_the_value),
    ),
    Scenario("several threads finish", ("FINISH-4", "FINISH-5"), several_finish, _END),
    Scenario("several threads cancel", ("CANCEL-9",), several_cancel, _CANCEL),
    Scenario("a cancel and a finish", ("CANCEL-10",), cancel_and_finish, _CANCEL),
    Scenario(
        "a finish and the last work_done",
        ("DRAIN-8",),
        finish_and_last_work_done,
        laws.each(laws.nothing_raises, laws.drained_is_not_early("DRAIN-8"), laws.drained_once(), laws.one_finish_wins),
        drained="DRAIN-8",
    ),
    Scenario(
        "a work_begin and a finish",
        ("WORK-6",),
        work_begin_and_finish,
        laws.each(laws.nothing_raises, laws.drained_is_not_early(), laws.drained_once("DRAIN-6"), laws.one_finish_wins),
        drained="WORK-6",
    ),
    Scenario(
        "a first tap among emits",
        ("STREAM-12", "STREAM-7", "STREAM-11"),
        first_tap_among_emits,
        laws.each(
            laws.nothing_raises,
            laws.one_at_a_time,
            laws.whole_stream("STREAM-12"),
            laws.later_taps,
            laws.order_of_emits,
        ),
        once="STREAM-12",
    ),
    Scenario(
        "taps that come and go",
        ("STREAM-16", "STREAM-2", "STREAM-13", "STREAM-4"),
        taps_come_and_go,
        laws.each(_END, laws.later_taps, laws.closed_taps),
    ),
    Scenario(
        "continuations while the promises are kept",
        ("PROMISE-1", "DRAIN-2"),
        then_while_keeping,
        laws.each(
            laws.nothing_raises, laws.continuations_are_called_once, laws.drained_is_not_early("DRAIN-3"), _CANCEL
        ),
    ),
)
