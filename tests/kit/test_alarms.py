"""Each hook that `alarms` watches is seen, and only what is an alarm."""

import asyncio
import gc
import sys
import threading
import warnings
from collections.abc import Callable

import pytest
from agent_run_tck.alarms import alarms


class Fault(Exception):
    pass


class RaisesAtTheEnd:
    def __del__(self) -> None:
        raise Fault("in a finaliser")


def a_thread_dies() -> None:
    def die() -> None:
        raise Fault("in a thread")

    thread = threading.Thread(target=die)
    thread.start()
    thread.join()


def a_finaliser_raises() -> None:
    RaisesAtTheEnd()
    gc.collect()


def a_future_is_never_asked() -> None:
    loop = asyncio.new_event_loop()
    loop.create_future().set_exception(Fault("in a future"))
    gc.collect()
    loop.close()


async def _nothing() -> None:
    return


def a_coroutine_is_never_awaited() -> None:
    coroutine = _nothing()
    del coroutine
    gc.collect()


@pytest.mark.parametrize(
    ("cause", "says"),
    [
        (a_thread_dies, "in a thread"),
        (a_finaliser_raises, "in a finaliser"),
        (a_future_is_never_asked, "never retrieved"),
        (a_coroutine_is_never_awaited, "never awaited"),
    ],
)
def test_an_unhandled_failure_is_an_alarm(cause: Callable[[], None], says: str) -> None:
    noted: list[str] = []
    with alarms(noted.append) as seen:
        cause()
    assert len(seen) == 1, seen
    assert says in seen[0]
    assert noted == [f"alarm: {seen[0]}"]


def test_advice_to_developers_is_no_alarm() -> None:
    with alarms(lambda _: None) as seen:
        warnings.warn("use another function", DeprecationWarning, stacklevel=1)
    assert not seen


def test_a_thread_that_exits_is_no_alarm() -> None:
    with alarms(lambda _: None) as seen:
        thread = threading.Thread(target=sys.exit)
        thread.start()
        thread.join()
    assert not seen


def test_the_hooks_are_put_back() -> None:
    before = (threading.excepthook, warnings.showwarning, warnings.filters[:])
    with alarms(lambda _: None):
        assert threading.excepthook is not before[0]
    assert (threading.excepthook, warnings.showwarning, warnings.filters[:]) == before
