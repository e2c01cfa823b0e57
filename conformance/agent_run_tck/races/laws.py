"""What the contract says of a race, whatever came first in it. Each law raises Violated with the requirement it reads.

These forbid, and look at what was seen. What must still come is in `agent_run_tck/races/owed.py`.
"""

from collections.abc import Callable, Iterator
from typing import Any

from agent_run_tck.index import terminal_kinds
from agent_run_tck.races.trial import Call, RacingRun, Subscriber, Violated, name_of

Law = Callable[[RacingRun], None]


def each(*laws: Law) -> Law:
    def all_of_them(run: RacingRun) -> None:
        for law in laws:
            law(run)

    return all_of_them


# --- delivery ---------------------------------------------------------------------------------------------------------


def whole_stream(once: str = "EMIT-9") -> Law:
    """The first tap is handed what was accepted, once each and in order; `once` is whose rule a loss or a double is."""

    def law(run: RacingRun) -> None:
        for first in run.first_and_later_taps()[0]:
            events = first.events
            _nothing_twice(first, events, once)
            _only_what_was_accepted(run, first, events)
            _nothing_left_out(run, first, events, once)
            _rising(first, events)
            _nothing_behind_the_terminal(first, events)
            _no_seq_without_event(first, events)

    return law


def _nothing_twice(subscriber: Subscriber, events: list[dict[str, Any]], id: str) -> None:
    names = [name_of(event) for event in events if event["kind"] == "token"]
    for name in names:
        if names.count(name) > 1:
            raise Violated(id, f"{subscriber.name} was handed {name} {names.count(name)} times; it was emitted once")


def _only_what_was_accepted(run: RacingRun, subscriber: Subscriber, events: list[dict[str, Any]]) -> None:
    handed = {name_of(event) for event in events}
    for call in run.refused("emit"):
        if call.argument in handed:
            raise Violated("EMIT-9", f"{subscriber.name} was handed {call.argument}, whose emit was refused")


def _nothing_left_out(run: RacingRun, subscriber: Subscriber, events: list[dict[str, Any]], id: str) -> None:
    """An accepted event that has not come when the stream is over, or when one that was accepted later has."""
    places = {name_of(event): place for place, event in enumerate(events)}
    over = "done" in subscriber.log
    for call in run.granted("emit"):
        if call.argument not in places:
            later = [each for each in run.granted("emit") if each.argument in places and call.before(each)]
            if over or later:
                then = f"{later[0].argument}, which was accepted later," if later else "done"
                raise Violated(id, f"{call.argument} was accepted, but {subscriber.name} was handed {then} without it")


def _rising(subscriber: Subscriber, events: list[dict[str, Any]]) -> None:
    if strange := [name_of(event) for event in events if not isinstance(event.get("seq"), int)]:
        raise Violated("EMIT-2", f"{subscriber.name} was handed {', '.join(strange)} without a seq")
    seqs = [event["seq"] for event in events]
    if len(set(seqs)) < len(seqs):
        raise Violated("EMIT-2", f"{subscriber.name} was handed the seqs {seqs}; no two events have the same")
    if seqs != sorted(seqs):
        raise Violated("STREAM-7", f"{subscriber.name} was handed the seqs {seqs}; they must rise")


def _nothing_behind_the_terminal(subscriber: Subscriber, events: list[dict[str, Any]]) -> None:
    terminals = [place for place, event in enumerate(events) if event["kind"] in terminal_kinds()]
    if len(terminals) > 1:
        raise Violated("STREAM-6", f"{subscriber.name} was handed {len(terminals)} terminals; a run has one")
    if terminals and terminals[0] < len(events) - 1:
        raise Violated(
            "FINISH-3", f"{subscriber.name} was handed {name_of(events[-1])} after the terminal, which has the last seq"
        )


def _no_seq_without_event(subscriber: Subscriber, events: list[dict[str, Any]]) -> None:
    seqs = [event.get("seq") for event in events]
    if seqs != list(range(len(seqs))):
        raise Violated("EMIT-2", f"{subscriber.name} was handed the seqs {seqs}; they must count up from 0 without gap")


def one_at_a_time(run: RacingRun) -> None:
    for subscriber in run.subscribers:
        if subscriber.overlaps:
            raise Violated(
                "STREAM-11", f"{subscriber.name} was handed {subscriber.overlaps[0]} inside another callback"
            )


def done_follows_the_terminal(run: RacingRun) -> None:
    for subscriber in run.subscribers:
        log, events = subscriber.log, subscriber.events
        if log.count("quit"):
            raise Violated("STREAM-5", f"{subscriber.name} was told that the stream broke")
        if "done" not in log:
            continue
        if log.count("done") > 1 or log[-1] != "done":
            raise Violated("STREAM-4", f"{subscriber.name} was handed {', '.join(log)}; done comes once, at the end")
        if not events or events[-1]["kind"] not in terminal_kinds():
            raise Violated("STREAM-4", f"{subscriber.name} was handed done without the terminal before it")


def terminal_finds_done(run: RacingRun) -> None:
    """Whoever is handed the terminal finds the run done (STREAM-14)."""
    for subscriber in run.subscribers:
        for mark, what, event in subscriber.handed.copy():
            plain = subscriber.trial.plain(event) if mark in subscriber.early and what == "event" else {"kind": ""}
            if plain["kind"] in terminal_kinds():
                told = f"{subscriber.name} was handed {name_of(plain)}, the terminal, at {mark}"
                raise Violated("STREAM-14", f"{told}, and is_done was false within that callback")


def order_of_emits(run: RacingRun) -> None:
    """The seq of what was emitted earlier is smaller: on one thread (EMIT-9) and across threads (EMIT-11)."""
    seqs = {name_of(event): event["seq"] for subscriber in run.subscribers for event in subscriber.events}
    calls = [call for call in run.granted("emit") if call.argument in seqs]
    for one in calls:
        for other in calls:
            if one.before(other) and seqs[one.argument] >= seqs[other.argument]:
                same = one.thread == other.thread
                raise Violated(
                    "EMIT-9" if same else "EMIT-11",
                    f"{one.argument} was accepted before the emit of {other.argument} began"
                    f"{' on the same thread' if same else ''}, but has seq {seqs[one.argument]}, not below "
                    f"{seqs[other.argument]}",
                )


def later_taps(run: RacingRun) -> None:
    """A later tap is handed nothing that was published before, and all that was accepted after it (STREAM-2)."""
    first, later = run.first_and_later_taps()
    for late in later:
        events = late.events
        _rising(late, events)
        _without_gap(late, events)
        handed = [name_of(event) for event in events]
        old = {name for one in first for name in _published_before(one, late)}
        if shown := [name for name in handed if name in old]:
            raise Violated("STREAM-2", f"{late.name} was handed {shown[0]}, which was published before it was made")
        lost = [name for name in accepted_after(run, late) if name not in handed]
        if lost and "done" in late.log:
            raise Violated("STREAM-2", f"{late.name} was not handed {lost[0]}, whose emit began when it stood")


def _without_gap(subscriber: Subscriber, events: list[dict[str, Any]]) -> None:
    seqs = [event["seq"] for event in events]
    if seqs and seqs != list(range(seqs[0], seqs[0] + len(seqs))):
        raise Violated("STREAM-7", f"{subscriber.name} was handed the seqs {seqs}; from the first on none is left out")


def _published_before(first: Subscriber, late: Subscriber) -> Iterator[str]:
    """What the first tap was handed before the later one was made; the terminal only if it was told done as well.

    A tap that is made between terminal and done may get both (decision 19).
    """
    start = late.called.start if late.called else 0
    before = [(what, event) for mark, what, event in first.handed.copy() if mark < start]
    over = any(what == "done" for what, _ in before)
    for plain in (first.trial.plain(event) for what, event in before if what == "event"):
        if over or plain["kind"] not in terminal_kinds():
            yield name_of(plain)


def accepted_after(run: RacingRun, late: Subscriber) -> Iterator[str]:
    for call in run.granted("emit"):
        if late.called and late.called.before(call) and late.closing is None:
            yield call.argument


def closed_taps(run: RacingRun) -> None:
    """When close has returned, at most the callback that the publisher had begun to call comes (STREAM-16)."""
    for subscriber in run.subscribers:
        if len(after := subscriber.after_its_close) > 1:
            raise Violated("STREAM-16", f"{subscriber.name} was handed {', '.join(after)} after its close had returned")


# --- the end ----------------------------------------------------------------------------------------------------------


def one_step(run: RacingRun) -> None:
    """Closing, keeping the result and queueing the terminal are one step (FINISH-3)."""
    signs = [*run.granted("is_done"), *run.of("finish"), *run.refused("emit")]
    for call in run.granted("emit"):
        for sign in signs:
            if sign.before(call) and sign.error is None:
                raise Violated(
                    "FINISH-3", f"the emit of {call.argument} was accepted after {sign.operation} -> {sign.reply}"
                )
    for call in run.refused("emit"):
        if all(call.before(finish) for finish in run.of("finish")):
            raise Violated("FINISH-3", f"the emit of {call.argument} was refused before any finish had begun")


def told_false_finds_done(run: RacingRun) -> None:
    for operation, id in (("emit", "EMIT-10"), ("finish", "FINISH-5")):
        for told in run.refused(operation):
            for look in run.refused("is_done"):
                if told.before(look):
                    raise Violated(id, f"{operation}({told.argument}) replied false, and then is_done was false")


def done_stays(run: RacingRun) -> None:
    for operation, id in (("is_done", "IDENT-2"), ("is_cancelled", "IDENT-3")):
        for seen in run.granted(operation):
            for look in run.refused(operation):
                if seen.before(look):
                    raise Violated(id, f"{operation} was true and then false")


def one_finish_wins(run: RacingRun) -> None:
    """Of the finishes one is accepted, and terminal and result are its own (FINISH-4)."""
    calls, won = run.of("finish"), run.granted("finish")
    if any(call.end is None or call.error for call in calls) or not calls:
        return
    if len(won) != 1:
        raise Violated("FINISH-4", f"{len(won)} of {len(calls)} finishes replied true; just one must")
    winner = won[0].argument
    result = run.handle.result.value
    if f"{result.get('outcome')} {result.get('final')}" != winner:
        raise Violated("FINISH-4", f"finish({winner}) won, but the result is {result}")
    for subscriber in run.subscribers:
        for event in subscriber.events:
            if event["kind"] in terminal_kinds() and _ended(event) != winner:
                raise Violated("FINISH-4", f"finish({winner}) won, but the terminal is of finish({_ended(event)})")


def _ended(terminal: dict[str, Any]) -> str:
    return f"{terminal['kind'].removeprefix('run-')} {name_of(terminal)}"


# --- cancel -----------------------------------------------------------------------------------------------------------


def one_hook_call(run: RacingRun) -> None:
    """However many cancel, the hook is called once and the cancellation kept once (CANCEL-9)."""
    called = len(run.hook.marks) if run.hook else 0
    if called > 1:
        raise Violated("CANCEL-9", f"{len(run.of('cancel'))} cancels called the hook {called} times")
    for continuation in run.continuations["cancellation"]:
        if len(continuation.marks) > 1:
            raise Violated("CANCEL-9", f"the cancellation was kept {len(continuation.marks)} times")


def hook_and_cancellation_agree(run: RacingRun) -> None:
    """Cancel against finish: both or neither (CANCEL-10), and nobody is forgotten (CANCEL-1, CANCEL-6)."""
    kept = run.handle.cancellation.status == "kept"
    if run.hook and run.hook.marks and not kept:
        raise Violated("CANCEL-10", "the hook was called, and the cancellation is planned")
    cancels, finishes = run.of("cancel"), run.of("finish")
    if any(all(cancel.before(finish) for finish in finishes) for cancel in cancels) and not kept:
        raise Violated("CANCEL-1", "cancel returned before any finish began, and the cancellation is planned")
    if cancels and kept and all(any(done.before(cancel) for done in finishes) for cancel in cancels):
        raise Violated("CANCEL-6", "the run was finished before any cancel began, and the cancellation is kept")


# --- drained ----------------------------------------------------------------------------------------------------------


def drained_is_not_early(id: str = "WORK-6") -> Law:
    """Drained is not seen kept before the run is closed, nor before a section is that was granted (`id`)."""

    def law(run: RacingRun) -> None:
        for mark, how in _seen_drained(run):
            if all(finish.start > mark for finish in run.of("finish")):
                raise Violated("DRAIN-1", f"{how}, and no finish had begun")
            for section, done in sections(run):
                if done is None or done.start > mark:
                    raise Violated(id, f"{how}, while section {section} was open, which work_begin had granted")

    return law


def drained_once(id: str = "DRAIN-8") -> Law:
    def law(run: RacingRun) -> None:
        for continuation in run.continuations["drained"]:
            if len(continuation.marks) > 1:
                raise Violated(id, f"drained was kept {len(continuation.marks)} times")

    return law


def _seen_drained(run: RacingRun) -> Iterator[tuple[int, str]]:
    for look in run.of("status"):
        if look.argument == "drained" and look.reply == "kept" and look.end is not None:
            yield look.end, "drained was seen kept"
    for continuation in run.continuations["drained"]:
        for mark in continuation.marks:
            yield mark, "the continuation of drained was called"


def sections(run: RacingRun) -> Iterator[tuple[str, Call | None]]:
    """Each section that was granted: its name, and its end if that has begun."""
    ends = {call.argument: call for call in run.of("work_done")}
    for call in run.granted("work_begin"):
        yield call.argument, ends.get(call.argument)


# --- promises, replies ------------------------------------------------------------------------------------------------


def continuations_are_called_once(run: RacingRun) -> None:
    for promise, continuations in run.continuations.items():
        for continuation in continuations:
            if len(continuation.marks) > 1:
                raise Violated("PROMISE-1", f"a continuation of {promise} was called {len(continuation.marks)} times")


def waits_get_the_value(run: RacingRun) -> None:
    """A wait for the result gets its value. It has more time than a trial, and a scheduler's clock stands still."""
    for call in run.of("wait"):
        if call.error is not None and any(one.end and call.end and one.end < call.end for one in run.granted("finish")):
            raise Violated("PROMISE-4", f"the result was kept, and the wait for it raised {call.error!r}")
        if call.end is not None and call.error is None and call.reply != run.handle.result.value:
            raise Violated("PROMISE-4", f"the result is {run.handle.result.value}, and the wait got {call.reply!r}")


NEVER_RAISES = {
    "emit": "EMIT-1",
    "finish": "FINISH-1",
    "cancel": "CANCEL-3",
    "work_begin": "WORK-1",
    "work_done": "WORK-4",
    "tap": "STREAM-1",
    "close": "STREAM-16",
    "then": "PROMISE-1",
    "is_done": "IDENT-2",
    "is_cancelled": "IDENT-3",
    "status": "IDENT-4",
}


def nothing_raises(run: RacingRun) -> None:
    for call in run.calls.copy():
        if call.error is not None and call.operation in NEVER_RAISES:
            raise Violated(NEVER_RAISES[call.operation], f"{call.operation}({call.argument}) raised {call.error!r}")
