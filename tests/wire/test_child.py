"""A child that is just being started when the suite ends is killed as well."""

import subprocess
import sys
import threading
from typing import Any

import pytest
from agent_run_tck.wire import child
from agent_run_tck.wire.child import Child

SECONDS = 10.0
A_MOMENT = 0.2  # in which the end of the suite would be over, if it did not wait
SLEEPER = [sys.executable, "-c", "import sys; sys.stdin.read()"]


def test_the_end_of_the_suite_waits_for_a_start_that_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go, made = threading.Event(), threading.Event(), []
    start = subprocess.Popen

    def slowly(*command: Any, **options: Any) -> Any:
        begun.set()
        assert go.wait(SECONDS)
        made.append(start(*command, **options))
        return made[0]

    monkeypatch.setattr(subprocess, "Popen", slowly)
    monkeypatch.setattr(Child, "over", False)
    starting = threading.Thread(target=lambda: Child(SLEEPER, lambda line: None, lambda rest: None))
    ending = threading.Thread(target=child._over)
    starting.start()
    assert begun.wait(SECONDS)
    ending.start()
    ending.join(A_MOMENT)
    go.set()
    for thread in (starting, ending):
        thread.join(SECONDS)
        assert not thread.is_alive()
    with made[0] as process:
        outlived = process.poll() is None
        process.kill()
    assert not outlived, "the child has outlived the suite"
    with pytest.raises(RuntimeError, match="the suite has ended"):
        Child(SLEEPER, lambda line: None, lambda rest: None)
