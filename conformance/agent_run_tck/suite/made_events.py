"""How the checks of events make, flatten and publish them, with a word on what went wrong."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from agent_run_tck.case import Case
from agent_run_tck.driven import DrivenRun
from agent_run_tck.events.fields import a, required

Plain = dict[str, Any]
T = TypeVar("T")


def made(case: Case, kind: str, payload: Mapping[str, Any]) -> Any:
    """An event that the contract says can be made."""
    __tracebackhide__ = True
    case.note(f"make_event({kind}, {payload!r})")
    return _worked(
        lambda: case.event(kind, payload),
        f"make_event({kind!r}, {payload!r})",
        "the payload is right, so the event must be made",
    )


def flat(case: Case, event: Any, kind: str) -> Plain:
    """The plain form of an event, which every event has that was made."""
    __tracebackhide__ = True
    return _worked(lambda: dict(case.plain(event)), f"plain() of {a(kind)}", "every event has a plain form")


def plain_of(case: Case, kind: str, payload: Mapping[str, Any]) -> Plain:
    """The plain form of a new event."""
    __tracebackhide__ = True
    return flat(case, made(case, kind, payload), kind)


def not_made(case: Case, kind: str, payload: Mapping[str, Any], why: str) -> None:
    """Making the event must fail, there and not later; `why` completes «a log was made though …»."""
    __tracebackhide__ = True
    try:
        case.event(kind, payload)
    except Exception:
        return
    raise AssertionError(f"{a(kind)} was made though {why}; making it must be an error. The payload was {payload!r}")


def publish(case: Case, kind: str, *events: Any, run_id: str | None = None) -> list[Plain]:
    """The plain forms of events of one kind, published one after the other; those that the run accepted."""
    run = case.run(run_id)
    subscriber = run.tap()
    if kind in case.terminal_kinds:
        accepted = [case.accepted(partial(run.finish, events[0]))]
    else:
        accepted = [case.accepted(partial(run.emit, event)) for event in events]
        run.finish()
    case.eventually(lambda: len(subscriber.events) >= sum(accepted), f"every accepted {kind} is published")
    return subscriber.events[: sum(accepted)]


def takes(case: Case, run: DrivenRun, kind: str) -> tuple[bool, bool]:
    """Whether emit and finish accept the kind, in this order; finish is asked in any case."""
    event = made(case, kind, required(kind))
    return case.accepted(partial(run.emit, event)), case.accepted(partial(run.finish, event))


def refuses(case: Case, run: DrivenRun, kind: str, payload: Mapping[str, Any]) -> bool:
    """Whether the event is refused: when it is made, or at the latest when a run is given it."""
    try:
        event = case.event(kind, payload)
        if kind in case.terminal_kinds:
            case.run().finish(event)
        else:
            run.emit(event)
    except Exception:  # Raised is one as well
        return True
    return False


def _worked(action: Callable[[], T], what: str, promise: str) -> T:
    __tracebackhide__ = True
    try:
        return action()
    except BaseException as error:
        raise AssertionError(f"{what} raised {type(error).__name__}: {error}; {promise}") from error
