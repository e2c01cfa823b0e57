"""Steps of the reference, taken apart so that a twin can put them together wrongly."""

from typing import Any

from agent_run import Run
from agent_run.events import Event, order, stamp
from agent_run.plain import freeze
from agent_run.run import _result


def place(run: Run, stamped: Event) -> None:
    """Give a stamped event the next seq and put it into the mailbox; the lock is held, or should be."""
    order(stamped, run._next_seq)
    run._next_seq += 1
    run.events._mailbox.append(stamped)


def stamped_for_emit(run: Run, event: Event) -> Event:
    stamped = stamp(event, run.id)
    if stamped.is_terminal:
        raise ValueError(f"{stamped.kind} is a terminal event")
    return stamped


def stamped_for_finish(run: Run, terminal: Event, outcome: dict[str, Any]) -> tuple[Event, object]:
    """The stamped terminal and the frozen result."""
    stamped = stamp(terminal, run.id)
    if not stamped.is_terminal:
        raise ValueError(f"{stamped.kind} is not a terminal event")
    return stamped, freeze(_result(stamped.kind.removeprefix("run-"), outcome), "result")


def announce_the_end(run: Run) -> None:
    run.result._announce()
    run.drained._announce()
    run.events._wake()
