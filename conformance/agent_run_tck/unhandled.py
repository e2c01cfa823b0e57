"""Exceptions that nobody handled, in every check: whose fault they are, and what they violate."""

import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType

from agent_run_tck.alarms import Alarm
from agent_run_tck.callbacks import Thrown, ThrownBase
from agent_run_tck.case import Case
from agent_run_tck.races.noise import is_of_the_implementation
from agent_run_tck.races.trial import Violated

KIT = Path(__file__).parent


def judge(case: Case, seen: Iterable[Alarm]) -> None:
    """Raise what an alarm of a check that else passes means; nothing where the contract allows it.

    What a callback of the suite threw on purpose may be reported, as it is or as the cause of something else: it must
    be survived, not hidden (decision 12). An exception that passed through the implementation violates RESULT-10 where
    a run has ended and nobody awaited its result. On other runs nothing is promised, and the alarm stays in the
    history. One of the suite's own code is raised as it is. The hooks are the whole process's, so what shows no code of
    either is nobody's.
    """
    for alarm in seen:
        if alarm.error is None or any(isinstance(each, Thrown | ThrownBase) for each in _chain(alarm.error)):
            continue
        codes = _codes(alarm.error)
        if any(is_of_the_implementation(code) for code in codes):
            if _a_run_has_ended(case) and not case.awaited:
                raise Violated("RESULT-10", f"an exception that nobody handled reached the runtime's hooks: {alarm}")
        elif any(Path(code.co_filename).is_relative_to(KIT) for code in codes):
            raise alarm.error


def _a_run_has_ended(case: Case) -> bool:
    """Whether a finish was accepted, as far as is noted; races and programs of the model note nothing and end runs."""
    calls = [(what, reply) for _, what, reply in case.history]
    return not case.runs or any(".finish(" in what and reply == "True" for what, reply in calls)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The exception, and all that it reports: what led to it, and the members of a group."""
    if error is not None:
        yield error
        members = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
        for each in (error.__cause__ or error.__context__, *members):
            yield from _chain(each)


def _codes(error: BaseException) -> list[CodeType]:
    """What the exception passed through."""
    return [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
