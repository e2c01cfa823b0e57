"""A helper thread calls what it is given, and a hang of it has a deadline."""

import gc
import sys
import threading

import pytest
from agent_run_tck.steering import Hang, Helper, frames

SECONDS = 5.0


def test_it_returns_what_the_action_returns_and_each_time_on_the_same_thread() -> None:
    helper = Helper()
    threads = {helper.outcome(threading.get_ident, SECONDS, "asking") for _ in range(3)}
    helper.stop()
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_it_raises_what_the_action_raises_and_goes_on() -> None:
    helper = Helper()

    def leave() -> None:
        raise SystemExit("on purpose")

    with pytest.raises(SystemExit, match="on purpose"):
        helper.outcome(leave, SECONDS, "leaving")
    assert helper.outcome(lambda: 7, SECONDS, "counting") == 7
    helper.stop()


def test_an_action_that_does_not_come_back_is_a_hang_that_says_where_it_stands() -> None:
    helper = Helper()
    never = threading.Event()

    def stand_still() -> None:
        never.wait()

    with pytest.raises(Hang, match=r"standing did not come back within 0.05 s; it stands in stand_still \("):
        helper.outcome(stand_still, 0.05, "standing")
    never.set()


def test_its_thread_ends_when_it_is_stopped() -> None:
    helper = Helper("a helper to be stopped")
    helper.outcome(lambda: None, SECONDS, "nothing")
    thread = next(each for each in threading.enumerate() if each.name == "a helper to be stopped")
    helper.stop()
    helper.stop()
    thread.join(SECONDS)
    assert not thread.is_alive()


@pytest.mark.parametrize("collects", [True, False])
def test_no_garbage_is_collected_while_it_is_asked_where_the_threads_stand(
    collects: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    ask = sys._current_frames
    monkeypatch.setattr(sys, "_current_frames", lambda: seen.append(gc.isenabled()) or ask())
    enabled = gc.isenabled()
    (gc.enable if collects else gc.disable)()
    try:
        assert threading.get_ident() in frames()
        assert gc.isenabled() == collects
    finally:
        (gc.enable if enabled else gc.disable)()
    assert seen == [False]
