"""Races find what is wrong and nothing else, say how to see it again, and leave the process as it was."""

import random
import re
import sys
import threading
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from agent_run_tck.loading import load
from agent_run_tck.races.locks import NoisyLock, noisy_locks
from agent_run_tck.races.loop import Found, Loop
from agent_run_tck.races.noise import Mode, Noise, Tracing, draw_mode, is_of_the_implementation
from agent_run_tck.races.scenario import SCENARIOS, Scenario
from agent_run_tck.races.team import Team
from agent_run_tck.races.text import foreign_text
from agent_run_tck.races.trial import RacingRun, Trial, Violated, nothing

from tests.kit.suite_run import ROOT, properties, run_suite
from tests.kit.test_broken import RACY, declared
from tests.kit.test_variants import VARIANTS
from tests.racy_rates import in_order

RIGHT = ["agent_run", "conformance/ports/asyncio_run.py", *(str(path.relative_to(ROOT)) for path in VARIANTS)]
LONG_ENOUGH = 30.0  # a twin is found within a second or two, also when the machine has much else to do
LONGER = ("-m", "stochastic", "--budget=standard")
TWIN = "tests/broken/racy/finish_4_lets_two_win.py"


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("path", RACY, ids=lambda path: path.stem)
def test_a_racy_twin_is_found_for_what_it_breaks(path: Path) -> None:
    breaks = declared(path)["BREAKS"]
    assert isinstance(breaks, tuple)
    loop = Loop(load(str(path)).adapter, in_order(breaks)[0], seed=1, patience=0.2)
    with pytest.raises(Found) as found:
        loop.run(LONG_ENOUGH)
    assert found.value.requirement in breaks, found.value.text


@pytest.mark.parametrize("spec", RIGHT)
def test_a_right_implementation_is_never_accused(spec: str) -> None:
    adapter = load(spec).adapter
    tried = [Loop(adapter, scenario, seed=1).run(0, fewest=8) for scenario in SCENARIOS]
    assert [each.trials for each in tried] == [8] * len(SCENARIOS)


def test_a_failure_says_how_to_see_it_again(tmp_path: Path) -> None:
    run = run_suite(TWIN, tmp_path, "--requirement=FINISH-4", "--seed=5", *LONGER)
    assert run.exit_status == pytest.ExitCode.TESTS_FAILED
    failure = run.failures["FINISH-4"]
    assert "3 of 3 finishes replied true" in failure or "2 of 3 finishes replied true" in failure
    assert "several threads finish: trial " in failure
    assert "with --seed=5, noise at " in failure
    assert "thread 2" in run.output
    assert "finish(failed by-failed)" in run.output


def test_what_is_violated_is_not_always_what_the_race_was_made_for(tmp_path: Path) -> None:
    path = "tests/broken/racy/emit_2_takes_the_seq_outside_the_lock.py"
    run = run_suite(path, tmp_path, "--requirement=EMIT-9", "--seed=5", *LONGER)
    assert {*run.failures} <= {"EMIT-2", "STREAM-7"}
    assert "EMIT-2 is violated" in run.output or "STREAM-7 is violated" in run.output


def test_green_says_how_often_it_was_tried(tmp_path: Path) -> None:
    run = run_suite("agent_run", tmp_path, "--requirement=WORK-6", "--seed=5")
    assert run.exit_status == pytest.ExitCode.OK, run.output
    (test,) = ElementTree.parse(tmp_path / "report.xml").iter("testcase")
    noted = properties(test)
    assert (noted["scenario"], noted["seed"]) == ("a work_begin and a finish", "5")
    assert int(noted["trials"]) >= 1
    assert f"races of agent_run: {noted['trials']} trials of 1 scenarios with --seed=5" in run.output
    assert "(1 stochastic)" in run.output
    assert "warning" not in run.output


def test_a_seed_is_drawn_for_all_workers_and_said(tmp_path: Path) -> None:
    run = run_suite("agent_run", tmp_path, "-m", "stochastic", "-k", "finish", "-n2")
    seeds = {properties(test)["seed"] for test in ElementTree.parse(tmp_path / "report.xml").iter("testcase")}
    assert len(seeds) == 1
    (seed,) = seeds
    assert int(seed) > 0
    assert re.search(rf"^agent run contract .*, seed {seed}$", run.output, re.MULTILINE)
    assert f"with --seed={seed}" in run.output


def test_races_do_not_apply_where_there_are_no_threads(tmp_path: Path) -> None:
    run = run_suite("conformance/ports/asyncio_run.py", tmp_path, "-m", "stochastic")
    assert "0 requirements checked" in run.output
    assert "not applicable 9 10 11" in run.output


def blocking(act: Callable[[], object]) -> Any:
    """An adapter whose runs call `act` when they are cancelled."""
    right = load("agent_run").adapter

    def create_run(*args: Any) -> Any:
        run: Any = right.create_run(*args)
        run.cancel = act
        return run

    return SimpleNamespace(make_event=right.make_event, plain=right.plain, create_run=create_run)


def scenario(name: str) -> Scenario:
    return next(each for each in SCENARIOS if each.name == name)


def test_a_hang_costs_one_trial_and_says_where_it_stands() -> None:
    gate = threading.Event()
    loop = Loop(blocking(gate.wait), scenario("several threads cancel"), 1, patience=0.1)
    with pytest.raises(Found, match=r"3 threads have not come back; they stand in .*_end.*") as found:
        loop.run(LONG_ENOUGH)
    gate.set()
    assert found.value.requirement == "CANCEL-9"
    assert found.value.number == 1
    assert [reply for _, what, reply in found.value.history if "cancel()" in what] == ["has not returned"] * 3


def test_a_wait_that_is_never_woken_is_told_from_an_operation_that_hangs() -> None:
    gate = threading.Event()
    right = load("agent_run").adapter

    def create_run(*args: Any) -> Any:
        run: Any = right.create_run(*args)
        run.result.wait = lambda timeout: gate.wait(LONG_ENOUGH)
        return run

    adapter: Any = SimpleNamespace(make_event=right.make_event, plain=right.plain, create_run=create_run)
    with pytest.raises(Found, match="1 threads have not come back") as found:
        Loop(adapter, scenario("two finishes, and one looks"), 1, patience=0.1).run(LONG_ENOUGH)
    gate.set()
    assert found.value.requirement == "PROMISE-4"


def test_all_that_hangs_is_placed_in_the_implementation_also_at_a_noisy_lock() -> None:
    with noisy_locks(nothing):
        lock = threading.Lock()

    def taking() -> None:
        with lock:
            pass

    def acquiring() -> None:
        lock.acquire()
        lock.release()

    team = Team()
    with lock:
        team.start([taking, acquiring])
        assert team.ended(2, 0.1) == 2
        stuck = team.stuck()
    assert team.ended(2, LONG_ENOUGH) == 0
    team.stop()
    assert [re.sub(r"\(.*[/\\]", "(", re.sub(r":\d+:", ":", place)) for place in stuck] == [
        "in taking (test_races.py: with lock:)",
        "in acquiring (test_races.py: lock.acquire())",
    ]


def test_an_operation_that_ends_the_process_only_ends_the_check() -> None:
    loop = Loop(blocking(sys.exit), scenario("several threads cancel"), 1, patience=0.1)
    with pytest.raises(Found, match=r"cancel\(\) raised SystemExit") as found:
        loop.run(LONG_ENOUGH)
    assert found.value.requirement == "CANCEL-3"


def test_the_same_seed_draws_the_same_noise() -> None:
    drawn = [[draw_mode(random.Random(f"7/{number}")) for number in range(50)] for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert {point for mode in drawn[0] for point in mode.points} >= {"lines", "locks", "seams"}


def test_nothing_is_traced_when_a_race_is_over() -> None:
    before = threading.gettrace(), sys.gettrace(), threading.Lock, threading.RLock
    left: list[object] = ["not called"]
    Loop(load("agent_run").adapter, scenario("several threads emit"), 1).run(0, fewest=5)
    assert (threading.gettrace(), sys.gettrace(), threading.Lock, threading.RLock) == before
    thread = threading.Thread(target=lambda: left.append(sys.gettrace()))
    thread.start()
    thread.join()
    assert left[1] is threading.gettrace()


def test_a_thread_of_the_implementation_is_traced_from_its_first_callback_on_and_let_go() -> None:
    tracing, steps, seen = Tracing(), threading.Semaphore(0), []

    def serve() -> None:
        for _ in range(2):
            steps.acquire()
            tracing.adopt()
            seen.append(sys.gettrace())
            nothing()

    thread = threading.Thread(target=serve)
    with tracing.block():
        pass_by = threading.gettrace()
        threading.settrace(None)
        thread.start()
        threading.settrace(pass_by)
        steps.release()
        while not seen:
            threading.Event().wait(0.001)
    steps.release()
    thread.join()
    assert seen[0] == pass_by
    assert sys.gettrace() is not pass_by
    assert seen[1] != pass_by


def test_noise_is_made_in_the_implementation_only() -> None:
    adapter = load("agent_run").adapter
    assert is_of_the_implementation(type(adapter.create_run().result).then.__code__)
    for foreign in (threading.Thread.start, pytest.Item.runtest, Loop.run):
        assert not is_of_the_implementation(foreign.__code__)


def test_noise_ends_when_it_is_stopped() -> None:
    rng = random.Random(1)
    noise = Noise(Mode(("seams",), 1.0, (0.0,)), rng)
    noise.stop()
    state = rng.getstate()
    noise.at("seams")()
    assert rng.getstate() == state


def test_locks_made_in_the_block_pass_points_and_work_as_ever() -> None:
    points: list[str] = []
    with noisy_locks(lambda: points.append("point")):
        lock, reentrant, condition = threading.Lock(), threading.RLock(), threading.Condition()
    assert isinstance(lock, NoisyLock)
    assert not isinstance(threading.Lock(), NoisyLock)
    with lock:
        assert lock.locked()
    with reentrant, reentrant:
        pass
    with condition:
        assert not condition.wait(0.001)
    assert len(points) >= 8


def test_text_of_the_suites_own_passes_points_only_where_it_is_taken() -> None:
    points: list[str] = []
    forgiving = foreign_text(load("tests/variants/forgives_what_a_driver_gets_wrong.py").adapter)
    made = forgiving("a", lambda: points.append("point"))
    assert str(made) == "a"
    assert points
    strict = foreign_text(load("agent_run").adapter)
    assert type(strict("a", nothing)) is str


def test_marks_tell_what_overlapped() -> None:
    run = RacingRun(trial := Trial(load("agent_run").adapter))
    assert run.emitting("a")()
    assert run.finishing("failed", "b")()
    assert not run.emitting("c")()
    one, two, three = run.calls
    assert one.before(two)
    assert two.before(three)
    assert not two.before(one)
    trial.runs.append(run)
    assert [entry[1:] for entry in trial.history()] == [
        ["  1-2   emit(a)", "True"],
        ["  3-4   finish(failed b)", "True"],
        ["  5-6   emit(c)", "False"],
    ]


def test_a_violation_has_its_requirement() -> None:
    assert Violated("EMIT-9", "lost").requirement == "EMIT-9"
