"""What is said to a port and by it: each operation that it may die at, what cannot be sent, and who may ask."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_run_tck.budgets import BUDGETS
from agent_run_tck.case import Case
from agent_run_tck.driven import Raised
from agent_run_tck.loading import load
from agent_run_tck.protocol import Implementation
from agent_run_tck.steps import emit
from agent_run_tck.wire.adapter import ExecAdapter
from agent_run_tck.wire.faults import Died, Fault, Refusal, SuiteFault, Unsendable

from tests.kit.suite_run import ROOT

MODEL = f"exec:{sys.executable} {ROOT / 'conformance' / 'ports' / 'model_port.py'} agent_run"
EVENT = {"kind": "log", "payload": {}}
SCRIPT = {"name": "s", "steps": []}
OPERATIONS: dict[str, dict[str, Any]] = {
    "create": {"run": "r"},
    "emit": {"run": "r", "event": EVENT},
    "finish": {"run": "r", "event": EVENT, "outcome": {}},
    "work_begin": {"run": "r"},
    "work_done": {"run": "r"},
    "cancel": {"run": "r"},
    "tap": {"run": "r", "tap": "t", "when": []},
    "close_tap": {"tap": "t"},
    "then": {"run": "r", "promise": "result", "script": SCRIPT},
    "wait": {"run": "r", "promise": "result", "seconds": 1},
    "observe": {"run": "r"},
    "open_gate": {"gate": "g"},
    "parallel": {"scripts": [[{"id": 1, "op": "cancel", "run": "r"}]]},
    "plain": {"event": EVENT},
    "render": {"events": []},
    "forget": {"runs": [], "events": [], "gates": []},
    "bye": {},
}
GREETS = '{"protocol":1,"contract":"1.0","name":"short","version":"","language":"sh","capabilities":{"threads":true}}'
DIES = f"""read line; echo '{{"id":1,"ok":{GREETS}}}'; read line; exit 4"""


@pytest.fixture(scope="module")
def model() -> Iterator[Implementation]:
    implementation = load(MODEL)
    assert isinstance(implementation.adapter, ExecAdapter)
    yield implementation
    implementation.adapter.end()


@pytest.fixture
def case(model: Implementation) -> Iterator[Case]:
    made = Case(model, BUDGETS["standard"])
    yield made
    made.close()


def alive_in_group(group: int) -> list[str]:
    """The processes of a group that have not ended; the dead ones may wait for somebody who reaps them."""
    listed = subprocess.run(("ps", "-eo", "pgid,stat,args"), capture_output=True, text=True, timeout=60, check=True)
    rows = [line.split(maxsplit=2) for line in listed.stdout.splitlines()[1:]]
    return [args for pgid, stat, args in rows if pgid == str(group) and not stat.startswith("Z")]


def shell(script: str, folder: Path) -> ExecAdapter:
    """A port that is a script of the shell."""
    (folder / "port.sh").write_text(script)
    return ExecAdapter(f"sh {folder / 'port.sh'}")


@pytest.mark.parametrize("op", OPERATIONS)
def test_a_port_that_dies_at_an_operation_is_told_by_it(op: str, tmp_path: Path) -> None:
    session = shell(DIES, tmp_path).session()
    with pytest.raises(Died, match=f"the port ended with status 4, while it was asked for {op}"):
        session.ask(op, **OPERATIONS[op])
    with pytest.raises(Died, match="the port ended with status 4"):
        session.ask("observe", run="r")
    session.close()


def test_a_port_that_died_is_started_anew_for_the_next(tmp_path: Path) -> None:
    adapter = shell(DIES, tmp_path)
    first = adapter.session()
    with pytest.raises(Died):
        first.ask("cancel", run="r")
    first.close()
    second = adapter.session()
    assert second.connection.fault is None
    assert second.connection.child.pid != first.connection.child.pid
    adapter.kill()


def test_nothing_is_left_of_a_port_that_is_killed(tmp_path: Path) -> None:
    adapter = shell(f"""read line; sleep 1000 & echo '{{"id":1,"ok":{GREETS}}}'; wait""", tmp_path)
    child = adapter.session().connection.child
    assert child.alive
    adapter.kill()
    assert not child.alive
    assert [thread.name for thread in threading.enumerate() if thread.name.endswith(" of sh")] == []
    assert alive_in_group(child.pid) == []


UNSENDABLE = {"object": object(), "nan": float("nan"), "number-key": {1: "one"}, "tuple": (1,), "bytes": b"bytes"}


@pytest.mark.parametrize("value", UNSENDABLE.values(), ids=UNSENDABLE)
def test_what_no_message_can_hold_is_not_sent(case: Case, value: Any) -> None:
    run = case.run()
    with pytest.raises(Unsendable):
        run.finish(final=value)
    assert not run.is_done


def test_a_refusal_comes_out_as_raised(case: Case) -> None:
    run = case.run()
    with pytest.raises(Raised, match="ValueError: run-completed is a terminal event"):
        run.emit("run-completed")
    with pytest.raises(Refusal, match="TypeError"):
        case.event("log", {"level": "info"})


def test_who_listens_to_the_port_must_not_ask_it(model: Implementation) -> None:
    case = Case(model, BUDGETS["standard"])
    run = case.run()
    run.handle.tap(lambda event: run.handle.emit(event), lambda: None, lambda error: None)
    run.emit()
    case.changes.until(lambda: case.problems, case.budgets.wait)
    assert isinstance(case.problems[0], SuiteFault)
    assert "emit is asked for by what listens to the port" in str(case.problems[0])
    case.close()


def test_a_label_that_the_port_does_not_know_is_the_fault_of_the_suite(case: Case) -> None:
    assert case.session is not None
    with pytest.raises(SuiteFault, match="the port makes no sense of cancel: nothing here is called nobody"):
        case.session.ask("cancel", run="nobody")
    assert case.session.connection.fault is None


def test_runs_that_nobody_holds_are_forgotten(model: Implementation) -> None:
    kept = model.adapter.create_run()
    gone = [model.adapter.create_run().label for _ in range(150)]  # type: ignore[attr-defined]
    with pytest.raises(SuiteFault, match=f"nothing here is called {gone[0]}"):
        kept.session.ask("observe", run=gone[0])  # type: ignore[attr-defined]
    assert kept.is_done is False


def test_operations_in_parallel_report_replies_and_times(case: Case) -> None:
    run = case.run()
    assert case.session is not None
    label = {"run": run.handle.label}  # type: ignore[attr-defined]
    event = case.session.made_now("log")
    emitting = [{"op": "emit", **label, "event": event}] * 3
    finishing = [
        {"op": "emit", **label, "event": {"kind": "run-failed", "payload": {"error": "x"}}},
        {"op": "observe", **label},
    ]
    emitted, finished = case.session.parallel([emitting, finishing])
    assert [reply["ok"] for reply in emitted] == [True] * 3
    assert finished[0]["error"]["code"] == "raised"
    assert finished[1]["ok"]["is_done"] is False
    times = [time for reply in emitted for time in (reply["start"], reply["end"])]
    assert times == sorted(times)


def test_an_event_is_the_same_whenever_it_is_given(case: Case) -> None:
    run, event = case.run(), case.event("log")
    subscriber = run.tap()
    for _ in range(2):
        run.emit(event)
    run.emit_many(3, "token")
    case.eventually(lambda: len(subscriber.events) == 5, "all events are delivered")
    created = case.plain(event)["ts"]
    assert [each["ts"] for each in subscriber.events[:2]] == [created] * 2
    assert len({each["ts"] for each in subscriber.events[2:]}) == 1
    run.emit(subscriber.originals[0])
    case.eventually(lambda: len(subscriber.events) == 6, "an event that was handed out is delivered again")
    assert subscriber.events[5]["ts"] == created


def test_a_step_that_is_refused_is_a_problem_of_the_check(case: Case) -> None:
    run = case.run()
    run.tap({0: [emit("run-completed")]})
    run.emit()
    case.changes.until(lambda: case.problems, case.budgets.wait)
    assert isinstance(case.problems[0], Raised)
    assert "emit, called by run.tap1 at 0, raised ValueError" in str(case.problems[0])
    case.problems.clear()


def heed_interrupts() -> None:
    """What a shell starts in the background ignores them, and whoever that starts does too."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interrupt_leaves_no_port_behind(tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text(INTERRUPTED)
    command = (
        sys.executable,
        "-P",
        "-m",
        "pytest",
        "-c",
        os.devnull,
        "-p",
        "no:cacheprovider",
        f"--impl={MODEL}",
        "-s",
    )
    with subprocess.Popen(
        (*command, "checks.py"), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        preexec_fn=heed_interrupts,
    ) as pytest_run:  # fmt: skip
        assert pytest_run.stdout is not None
        pid = next(int(line.partition(" ")[2]) for line in pytest_run.stdout if line.startswith("port "))
        pytest_run.send_signal(signal.SIGINT)
        output = pytest_run.stdout.read()
        assert pytest_run.wait(60) == pytest.ExitCode.INTERRUPTED, output
    assert alive_in_group(pid) == []


INTERRUPTED = """
import pytest, sys
from agent_run_tck.steps import wait

@pytest.mark.requirement("CANCEL-1")
def test_in_the_middle(case):
    run = case.run(on_cancel=case.callback(wait("never"), name="hook"))
    case.start(run.cancel)
    case.parked("never")
    print("\\nport", case.session.connection.child.pid, flush=True)
    case.eventually(lambda: False, "it ends")
"""


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("exit 1", "Died: the port ended with status 1"),
        ("echo oops >&2; exit 2", "its last lines on stderr: oops"),
        ("echo hello", "ProtocolFault: a line that is not JSON"),
        ("""read line; echo '{"id":1,"ok":{"protocol":1}}'; read line""", "schema hello.json, reply, at ['ok']"),
        (f'read line; echo \'{{"id":1,"ok":{GREETS.replace(":1,", ":2,")}}}\'; read line', "version 2 of the protocol"),
        (f'read line; echo \'{{"id":1,"ok":{GREETS.replace("1.0", "9.1")}}}\'; read line', "written for contract 9.1"),
    ],
)
def test_a_port_that_does_not_start_well_is_refused_in_a_line(script: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(Fault) as raised:
        shell(script, tmp_path)
    assert says in " ".join(f"{type(raised.value).__name__}: {raised.value}".split())
