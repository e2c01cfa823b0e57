"""Each law of the races, on logs written by hand: what it forbids is called by its requirement, the like is allowed."""

from types import SimpleNamespace
from typing import Any

import pytest
from agent_run_tck.races import laws
from agent_run_tck.races.laws import Law
from agent_run_tck.races.owed import first_owed
from agent_run_tck.races.trial import Call, RacingRun, Subscriber, Trial, Violated

TERMINALS = {"completed": "final", "failed": "error", "cancelled": "stage"}
Calls = list[tuple[Any, ...]]


def promise(status: str, value: Any = None) -> SimpleNamespace:
    return SimpleNamespace(status=status, value=value, then=lambda continuation: None)


def run_of(*calls: tuple[Any, ...], hook: int = 0, **promises: Any) -> RacingRun:
    """A run with these calls: (operation, argument, start, end, reply, thread); `hook`: how often it was called."""
    planned = {name: promise("planned") for name in ("result", "cancellation", "drained")}
    handle = SimpleNamespace(**{**planned, **promises})
    adapter: Any = SimpleNamespace(
        create_run=lambda run_id, on_cancel: handle, make_event=lambda kind, payload: payload, plain=lambda event: event
    )
    run = Trial(adapter).run(hook=True)
    assert run.hook is not None
    run.hook.marks += range(100, 100 + hook)
    for operation, argument, start, end, reply, *thread in calls:
        run.calls.append(Call(thread[0] if thread else "one", operation, argument, start, end, reply))
    return run


def handed(run: RacingRun, *things: Any, at: int = 50) -> Subscriber:
    """A subscriber of the run that was handed these: names of events with their seq, outcomes of terminals, done."""
    subscriber = Subscriber(run._trial, f"tap{len(run.subscribers)}")
    subscriber.called = Call("one", "tap", "", at - 1, at - 1)
    run.subscribers.append(subscriber)
    for mark, thing in enumerate(things, at):
        what = thing if thing in ("done", "quit") else "event"
        subscriber.handed.append((mark, what, event(*thing) if what == "event" else None))
    return subscriber


def event(name: str, seq: int | None) -> dict[str, Any]:
    if name in TERMINALS:
        return {"kind": f"run-{name}", TERMINALS[name]: "end", "seq": seq}
    return {"kind": "token", "text": name, "seq": seq}


def emits(*names: str, reply: bool = True) -> Calls:
    """Emits one after the other."""
    return [("emit", name, 10 * place, 10 * place + 1, reply) for place, name in enumerate(names, 1)]


def finish(start: int, end: int, reply: bool = True, argument: str = "completed end") -> tuple[Any, ...]:
    return ("finish", argument, start, end, reply)


def stream(*things: Any, calls: Calls | None = None) -> RacingRun:
    run = run_of(*(emits("a", "b") if calls is None else calls))
    handed(run, *things)
    return run


A, B = ("a", 0), ("b", 1)
END = ("completed", 2)
KEPT = promise("kept", {"outcome": "completed", "final": "end"})


def late(*things: Any, calls: Calls | None = None, at: int = 52) -> RacingRun:
    """A run whose first tap was handed everything from mark 50 on, done with 53; a second tap joined before `at`."""
    run = stream(A, B, END, "done", calls=calls)
    handed(run, *things, at=at)
    return run


def closed(*things: Any) -> RacingRun:
    run = stream(A, B)
    handed(run, *things).closing = Call("one", "close", "", 48, 49)
    return run


def continued(name: str, times: int, *calls: tuple[Any, ...], **promises: Any) -> RacingRun:
    run = run_of(*calls, **promises)
    run.then(name).marks += range(60, 60 + times)
    return run


def raising(operation: str) -> RacingRun:
    run = run_of((operation, "", 1, 2, None))
    run.calls[0].error = LookupError("not at home")
    return run


def overlapping() -> RacingRun:
    run = stream(A)
    run.subscribers[0].overlaps.append("event")
    return run


def another_terminal() -> RacingRun:
    run = stream(("failed", 0), calls=[finish(1, 2)])
    run.handle.result = KEPT
    return run


def early(mark: int) -> RacingRun:
    """A run that was not done yet when its tap was handed what has this mark; the terminal has 52."""
    run = stream(A, B, END, "done")
    run.subscribers[0].early.append(mark)
    return run


def waited(end: int, reply: Any = None, error: BaseException | None = None) -> RacingRun:
    """A run whose result is waited for until `end`; its finish returned at 5."""
    run = run_of(finish(1, 5), ("wait", "result", 2, end, reply), result=KEPT)
    run.calls[1].error = error
    return run


def at_once(one: list[Any], other: list[Any]) -> RacingRun:
    """Two taps that were made at once, when "a" and "b" had been accepted, and what each of them was handed."""
    run = stream(*one)
    run.subscribers[0].called = Call("one", "tap", "", 40, 45)
    handed(run, *other).called = Call("two", "tap", "", 41, 46)
    return run


SECTION = ("work_begin", "s", 1, 2, True)
WHOLE, EARLY = laws.whole_stream(), laws.drained_is_not_early("WORK-6")

FORBIDDEN: list[tuple[str, Law, RacingRun]] = [
    ("EMIT-9", WHOLE, stream(A, ("a", 1), B)),
    ("EMIT-9", WHOLE, stream(A, calls=emits("a", reply=False))),
    ("EMIT-9", WHOLE, stream(("b", 0))),
    ("EMIT-9", WHOLE, stream(("b", 0), ("completed", 1), "done")),
    ("STREAM-12", laws.whole_stream("STREAM-12"), stream(A, ("a", 1), B)),
    ("EMIT-2", WHOLE, stream(A, ("b", 0))),
    ("EMIT-2", WHOLE, stream(A, ("b", 2))),
    ("EMIT-2", WHOLE, stream(A, ("b", None))),
    ("STREAM-7", WHOLE, stream(B, A)),
    ("STREAM-6", WHOLE, stream(A, B, END, ("failed", 3))),
    ("FINISH-3", WHOLE, stream(A, ("completed", 1), ("b", 2))),
    ("STREAM-5", laws.done_follows_the_terminal, stream(A, "quit")),
    ("STREAM-4", laws.done_follows_the_terminal, stream(A, B, "done")),
    ("STREAM-4", laws.done_follows_the_terminal, stream(A, B, END, "done", "done")),
    ("STREAM-11", laws.one_at_a_time, overlapping()),
    ("STREAM-14", laws.terminal_finds_done, early(52)),
    ("EMIT-9", laws.order_of_emits, stream(("b", 0), ("a", 1))),
    (
        "EMIT-11",
        laws.order_of_emits,
        stream(("b", 0), ("a", 1), calls=[("emit", "a", 1, 2, True, "one"), ("emit", "b", 3, 4, True, "two")]),
    ),
    ("EMIT-9", WHOLE, at_once([B], [B])),
    ("STREAM-7", laws.later_taps, at_once([A, B, END], [A, END])),
    ("STREAM-2", laws.later_taps, late(A, B)),
    ("STREAM-2", laws.later_taps, late(END, "done", calls=[*emits("a"), ("emit", "b", 60, 61, True)])),
    ("STREAM-2", laws.later_taps, late(B, END, "done", at=54)),
    ("STREAM-2", laws.later_taps, late(END, "done", at=55)),
    ("STREAM-7", laws.later_taps, late(B, ("completed", 3), "done")),
    ("STREAM-16", laws.closed_taps, closed(A, B)),
    ("FINISH-3", laws.one_step, run_of(("is_done", "", 1, 2, True), ("emit", "a", 3, 4, True))),
    ("FINISH-3", laws.one_step, run_of(finish(1, 2), ("emit", "a", 3, 4, True))),
    ("FINISH-3", laws.one_step, run_of(("emit", "a", 1, 2, False), finish(3, 4))),
    ("EMIT-10", laws.told_false_finds_done, run_of(("emit", "a", 1, 2, False), ("is_done", "", 3, 4, False))),
    ("FINISH-5", laws.told_false_finds_done, run_of(finish(1, 2, False), ("is_done", "", 3, 4, False))),
    ("IDENT-2", laws.done_stays, run_of(("is_done", "", 1, 2, True), ("is_done", "", 3, 4, False))),
    ("IDENT-3", laws.done_stays, run_of(("is_cancelled", "", 1, 2, True), ("is_cancelled", "", 3, 4, False))),
    ("FINISH-4", laws.one_finish_wins, run_of(finish(1, 3), finish(2, 4), result=KEPT)),
    ("FINISH-4", laws.one_finish_wins, run_of(finish(1, 3, False), result=KEPT)),
    ("FINISH-4", laws.one_finish_wins, run_of(finish(1, 3, argument="failed other"), result=KEPT)),
    ("FINISH-4", laws.one_finish_wins, another_terminal()),
    ("CANCEL-9", laws.one_hook_call, run_of(hook=2)),
    ("CANCEL-9", laws.one_hook_call, continued("cancellation", 2)),
    ("CANCEL-10", laws.hook_and_cancellation_agree, run_of(("cancel", "", 1, 3, None), finish(2, 4), hook=1)),
    ("CANCEL-1", laws.hook_and_cancellation_agree, run_of(("cancel", "", 1, 2, None), finish(3, 4))),
    (
        "CANCEL-6",
        laws.hook_and_cancellation_agree,
        run_of(finish(1, 2), ("cancel", "", 3, 4, None), cancellation=promise("kept", True)),
    ),
    ("DRAIN-1", EARLY, run_of(("status", "drained", 1, 2, "kept"), finish(3, 4))),
    (
        "WORK-6",
        EARLY,
        run_of(SECTION, finish(1, 5), ("status", "drained", 3, 4, "kept"), ("work_done", "s", 5, 6, None)),
    ),
    ("WORK-6", EARLY, continued("drained", 1, SECTION, finish(1, 5), ("work_done", "s", 70, 71, None))),
    ("DRAIN-8", laws.drained_once(), continued("drained", 2)),
    ("PROMISE-4", laws.waits_get_the_value, waited(6, error=TimeoutError())),
    ("PROMISE-4", laws.waits_get_the_value, waited(6, reply={"outcome": "failed"})),
    ("PROMISE-1", laws.continuations_are_called_once, continued("result", 2)),
    *((id, laws.nothing_raises, raising(operation)) for operation, id in laws.NEVER_RAISES.items()),
]
ALLOWED: list[tuple[Law, RacingRun]] = [
    (WHOLE, stream(A, B, END, "done")),
    (WHOLE, stream(A)),
    (WHOLE, stream(A, ("completed", 1), "done", calls=[*emits("a"), ("emit", "b", 20, 21, False)])),
    (laws.done_follows_the_terminal, stream(A, B, END, "done")),
    (laws.one_at_a_time, stream(A, B)),
    (laws.terminal_finds_done, early(51)),
    (laws.order_of_emits, stream(("b", 0), ("a", 1), calls=[("emit", "a", 1, 4, True), ("emit", "b", 2, 3, True)])),
    (laws.later_taps, late(B, END, "done")),
    (laws.later_taps, late()),
    (laws.later_taps, late(END, "done", at=54)),
    *((law, at_once(*taps)) for law in (WHOLE, laws.later_taps) for taps in (([A, B], [B]), ([B], [A, B]), ([], [A]))),
    (laws.closed_taps, closed(A)),
    (laws.one_step, run_of(("is_done", "", 1, 4, True), ("emit", "a", 3, 5, True), finish(2, 6))),
    (laws.one_step, run_of(("emit", "a", 1, 4, False), finish(2, 3))),
    (laws.told_false_finds_done, run_of(("is_done", "", 1, 4, False), ("emit", "a", 2, 3, False))),
    (laws.one_finish_wins, run_of(finish(1, 3), finish(2, 4, False), result=KEPT)),
    (laws.one_hook_call, run_of(hook=1)),
    (laws.hook_and_cancellation_agree, run_of(("cancel", "", 1, 3, None), finish(2, 4))),
    (laws.hook_and_cancellation_agree, run_of(("cancel", "", 1, 3, None), hook=1, cancellation=promise("kept", True))),
    (EARLY, run_of(SECTION, finish(1, 5), ("work_done", "s", 5, 9, None), ("status", "drained", 6, 7, "kept"))),
    (EARLY, run_of(finish(1, 5), ("work_begin", "s", 2, 3, False), ("status", "drained", 4, 5, "kept"))),
    (laws.drained_once(), continued("drained", 1)),
    (laws.waits_get_the_value, waited(6, reply=KEPT.value)),
    (laws.waits_get_the_value, waited(4, error=TimeoutError())),
    (laws.continuations_are_called_once, continued("result", 1)),
    (laws.nothing_raises, run_of(("emit", "a", 1, 2, True))),
]


def numbered(cases: list[Any]) -> list[Any]:
    """Cases with names that are the same in every process."""
    return [pytest.param(*case, id=f"{number}") for number, case in enumerate(cases)]


@pytest.mark.parametrize(("requirement", "law", "run"), numbered(FORBIDDEN))
def test_a_law_names_the_requirement_that_is_violated(requirement: str, law: Law, run: RacingRun) -> None:
    with pytest.raises(Violated) as violated:
        law(run)
    assert violated.value.requirement == requirement, violated.value.text


@pytest.mark.parametrize(("law", "run"), numbered(ALLOWED))
def test_a_law_allows_every_order_of_what_overlaps(law: Law, run: RacingRun) -> None:
    law(run)


def kept_but_not_called(name: str) -> RacingRun:
    run = continued(name, 0)
    setattr(run.handle, name, promise("kept", True))
    return run


def late_and_in_time(*things: Any) -> RacingRun:
    run = late(*things, calls=[*emits("a", "b"), finish(70, 71)])
    run.handle.result = KEPT
    run.handle.drained = promise("kept", True)
    return run


OWED: list[tuple[str, RacingRun]] = [
    ("EMIT-9", stream(A)),
    ("EMIT-9", at_once([A], [B])),
    ("STREAM-2", late(END, calls=[*emits("a"), ("emit", "b", 60, 61, True)])),
    ("STREAM-6", stream(calls=[finish(1, 2)])),
    ("STREAM-4", stream(("completed", 0), calls=[finish(1, 2)])),
    ("STREAM-13", late_and_in_time()),
    ("RESULT-1", run_of(finish(1, 2))),
    ("DRAIN-8", run_of(finish(1, 2), result=KEPT)),
    ("DRAIN-8", run_of(SECTION, finish(1, 2), ("work_done", "s", 3, 4, None), result=KEPT)),
    ("PROMISE-1", kept_but_not_called("result")),
    ("CANCEL-10", run_of(cancellation=promise("kept", True))),
    ("CANCEL-10", run_of(finish(1, 2), result=KEPT, cancellation=promise("kept", True))),
]
NOT_OWED: list[tuple[RacingRun]] = [
    (run_of(),),
    (stream(A, B),),
    (at_once([B], [A, B]),),
    (run_of(SECTION, finish(1, 2), result=KEPT),),
    (run_of(finish(1, 2), result=KEPT, drained=promise("kept", True)),),
    (closed(),),
]


@pytest.mark.parametrize(("requirement", "run"), numbered(OWED))
def test_what_must_still_come_is_owed(requirement: str, run: RacingRun) -> None:
    owed = first_owed(run)
    assert owed is not None
    assert owed.requirement == requirement, owed.text


@pytest.mark.parametrize("run", numbered(NOT_OWED))
def test_a_run_at_rest_owes_nothing(run: RacingRun) -> None:
    assert first_owed(run) is None
