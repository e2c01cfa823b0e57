"""What a race must still come to, whatever came first in it: it is asked until nothing is owed."""

from collections.abc import Iterable, Iterator

from agent_run_tck.index import terminal_kinds
from agent_run_tck.races.laws import accepted_after, sections
from agent_run_tck.races.trial import RacingRun, Violated, name_of


def first_owed(run: RacingRun, once: str = "EMIT-9", drained: str = "DRAIN-8") -> Violated | None:
    """What the run still owes, as the violation that it is if it never comes."""
    debts: Iterable[Violated] = (
        *_owed_events(run, once),
        *_owed_ends(run),
        *_owed_hook(run),  # before drained, which may wait for the hook
        *_owed_promises(run, drained),
        *_owed_continuations(run),
    )
    return next(iter(debts), None)


def _owed_events(run: RacingRun, id: str) -> Iterator[Violated]:
    first, later = run.first_and_later_taps()
    for subscriber in first:
        accepted = [call.argument for call in run.granted("emit")]
        if subscriber.closing is None and subscriber.log.count("event") < len(accepted):
            handed = {name_of(event) for event in subscriber.events}
            missing = [name for name in accepted if name not in handed]
            yield Violated(id, f"{', '.join(missing)} was accepted and {subscriber.name} was never handed it")
    for late in later:
        handed = {name_of(event) for event in late.events}
        for name in accepted_after(run, late):
            if name not in handed:
                yield Violated("STREAM-2", f"{late.name} was never handed {name}, whose emit began when it stood")


def _owed_ends(run: RacingRun) -> Iterator[Violated]:
    for number, subscriber in enumerate(run.subscribers):
        if not run.granted("finish") or subscriber.closing is not None or "done" in subscriber.log:
            continue
        in_time = subscriber.called and all(subscriber.called.before(finish) for finish in run.of("finish"))
        if number == 0 or in_time or subscriber.log:
            events = subscriber.events
            terminal = bool(events) and events[-1]["kind"] in terminal_kinds()
            id = "STREAM-4" if terminal else "STREAM-13" if number else "STREAM-6"
            missing = "done" if terminal else "the terminal"
            yield Violated(id, f"the run is finished and {subscriber.name} was never handed {missing}")


def _owed_promises(run: RacingRun, id: str) -> Iterator[Violated]:
    if run.granted("finish"):
        if run.handle.result.status != "kept":
            yield Violated("RESULT-1", "finish was accepted and the result was never kept")
        if all(done is not None for _, done in sections(run)) and run.handle.drained.status != "kept":
            yield Violated(id, "the run is finished, no section is open, and drained was never kept")


def _owed_hook(run: RacingRun) -> Iterator[Violated]:
    if run.hook and not run.hook.marks and run.handle.cancellation.status == "kept":
        yield Violated("CANCEL-10", "the cancellation is kept and the hook was never called")


def _owed_continuations(run: RacingRun) -> Iterator[Violated]:
    for promise, continuations in run.continuations.items():
        waiting = not all(continuation.marks for continuation in continuations)
        if waiting and getattr(run.handle, promise).status == "kept":
            yield Violated("PROMISE-1", f"{promise} is kept and a continuation of it was never called")
