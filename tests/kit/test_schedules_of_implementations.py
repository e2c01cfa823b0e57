"""Schedules of whole implementations: found, shrunk, written, and shown again from the file ten times out of ten."""

import itertools
import json
import re
import shutil
from pathlib import Path

import pytest
from agent_run_tck.cli import main
from agent_run_tck.loading import load
from agent_run_tck.races.scenario import SCENARIOS, Scenario
from agent_run_tck.schedules.check import Check, Shown, Unsupported
from agent_run_tck.schedules.copies import Copy
from agent_run_tck.schedules.explore import Explorer, replayed
from agent_run_tck.schedules.racing import ScenarioProgram
from agent_run_tck.schedules.replay import replay_file
from agent_run_tck.schedules.schedule_file import SCHEDULE_VERSION, BadSchedule
from agent_run_tck.schedules.shrink import Shrinking
from agent_run_tck.schedules.strategies import portfolio
from agent_run_tck.schedules.trial import run_trial

from tests.kit.suite_run import ROOT, run_suite

RACY = ROOT / "tests" / "broken" / "racy"
TWO_WIN = RACY / "finish_4_lets_two_win.py"
BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
CANCELS = BY_NAME["several threads cancel"]
FINISHES = BY_NAME["two finishes, and one looks"]
AWAITS = """
import asyncio, sys
sys.path.append({ports!r})
import asyncio_run
from agent_run_tck.asyncio_adapter import AsyncioAdapter

class Run(asyncio_run.Run):
    async def emit(self, event):
        if self.is_done:
            return False
        await asyncio.sleep(0)
        self._publish(event)
        return True

def tck_adapter():
    return AsyncioAdapter(Run, asyncio_run.Event.of, asyncio_run.Event.plain, name="awaits")
"""
STRANGER = """
import _thread
from agent_run import Run as RightRun, events

class Run(RightRun):
    def work_begin(self):
        met = _thread.allocate_lock()
        met.acquire()
        _thread.start_new_thread(self.meet, (super().work_begin, met.release))
        return met.acquire(timeout=5)

    def meet(self, begin, went):
        begin()
        went()
"""
EMBRACE = """
import threading
from agent_run import Run as RightRun, events

registry = threading.Lock()

class Run(RightRun):
    def __init__(self, *args, **more):
        super().__init__(*args, **more)
        self._mine = threading.Lock()

    def cancel(self):
        with registry, self._mine:
            pass
        super().cancel()

    def finish(self, *args, **outcome):
        with self._mine, registry:
            pass
        return super().finish(*args, **outcome)
"""
ONCE = """
from agent_run import Run as RightRun, events

class Run(RightRun):
    def finish(self, *args, **outcome):
        with open({marker!r}, "a+") as tries:
            tries.write("x")
            bad = tries.tell() in (4, 5)
        return bool(super().finish(*args, **outcome) or bad)
"""


def shown(path: Path, scenario: Scenario) -> tuple[Shown, Path]:
    """What exploring finds in an implementation, and the file that it names."""
    with pytest.raises(Shown) as found:
        Check(load(str(path)), scenario, seconds=20, seed=1).run(lambda *_: None)
    text = found.value.text
    assert "shown again 10 of 10 times" in text
    return found.value, Path(text.partition("agent-run-tck replay ")[2].splitlines()[0])


@pytest.fixture(scope="module")
def two_win() -> tuple[Shown, Path]:
    return shown(TWO_WIN, FINISHES)


def test_one_forced_switch_is_found_and_told_with_its_line(two_win: tuple[Shown, Path]) -> None:
    violated, file = two_win
    assert violated.requirement == "FINISH-4"
    assert "1 forced switch, found in the one-delay sweep" in violated.text
    assert re.search(r"thread \d \(0.\d\) -> thread \d \(0.\d\), before \S+[.]py:\d+: \w", violated.text)
    again = replay_file(file)
    assert (again.shown, again.times) == (10, 10)
    assert again.told()[0] == "FINISH-4 (violation) in «two finishes, and one looks»: shown 10 of 10 times"


def test_the_example_of_the_documentation_is_what_is_printed(two_win: tuple[Shown, Path]) -> None:
    def shape(text: str) -> list[str]:
        """The lines without numbers and places: of several switches that show it, any may be found first."""
        return [re.sub(r"\d+", "0", line.partition(", before ")[0].strip()) for line in text.splitlines()]

    example = shape((ROOT / "conformance" / "schedules.md").read_text().split("```\n")[1])[1:]
    assert len(example) > 3
    assert set(example) - {"..."} <= set(shape(two_win[0].text))


def test_a_schedule_that_was_drawn_is_shrunk_and_shown_again() -> None:
    load(str(TWO_WIN))
    program = ScenarioProgram(Copy(str(TWO_WIN)), FINISHES)
    drawn = (run_trial(program, portfolio(seed=1, number=number, length=100)[1]) for number in itertools.count())
    outcome = next(each for each in drawn if each.finding and len(each.decisions) > 2)
    assert outcome.finding is not None
    shrinking = Shrinking(program, outcome.finding, outcome.decisions, seconds=20)
    shrinking.shrink()
    assert 0 < len(shrinking.decisions) < len(outcome.decisions)
    again = replayed(program, shrinking.decisions, 10)
    assert [outcome.finding.same_as(each.finding) for each in again] == [True] * 10


def test_a_schedule_of_changed_modules_no_longer_applies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    twin = Path(shutil.copy(TWO_WIN, tmp_path / "changing_twin.py"))
    _, file = shown(twin, FINISHES)
    assert main(["replay", str(file)]) == 1
    twin.write_text(f"{twin.read_text()}\n# one line more\n")
    capsys.readouterr()
    assert main(["replay", str(file)]) == 2
    assert "no longer applies: changing_twin changed since it was found" in capsys.readouterr().err


def test_a_schedule_that_shows_nothing_says_so(
    two_win: tuple[Shown, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, file = two_win
    other = tmp_path / "without_decisions.jsonl"
    header = json.loads(file.read_text().splitlines()[0])
    other.write_text(json.dumps({**header, "python": "3.0", "decisions": 0}) + "\n")
    assert main(["replay", str(other)]) == 0
    assert "shown 0 of 10 times; it was found with Python 3.0, and this is " in capsys.readouterr().out


def test_a_schedule_is_replayed_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    shutil.copy(TWO_WIN, tmp_path / "elsewhere_twin.py")
    monkeypatch.chdir(tmp_path)
    _, file = shown(Path("elsewhere_twin.py"), FINISHES)
    monkeypatch.chdir("/")
    assert replay_file(file).shown == 10


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        ({"to": "9.9"}, "giving the turn to 9.9, could never take place; give the file as it was written"),
        ({"point": 99_999}, "at its point 99999 giving the turn to "),
        ({"thread": 7}, "decision 1 of 1, thread 7 at its point "),
        (None, "it has 0 of its 1 decisions"),
    ],
    ids=["option", "point", "thread", "cut"],
)
def test_a_decision_that_cannot_take_place_is_no_sign_of_a_mend(
    edit: dict[str, object] | None,
    says: str,
    two_win: tuple[Shown, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    header, decision = two_win[1].read_text().splitlines()
    edited = tmp_path / "edited.jsonl"
    edited.write_text("\n".join([header] if edit is None else [header, json.dumps({**json.loads(decision), **edit})]))
    assert main(["replay", str(edited)]) == 2
    out, err = capsys.readouterr()
    assert says in err
    assert (out, err.count("\n")) == ("", 1)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "it is no schedule"),
        ("{}", "it is no schedule"),
        (json.dumps({"schedule": SCHEDULE_VERSION - 1}), "explore anew"),
        (json.dumps({"schedule": SCHEDULE_VERSION, "contract": "1.0"}), "a field is wrong"),
    ],
)
def test_what_is_no_schedule_is_refused_in_one_line(text: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "file.jsonl"
    file.write_text(text)
    with pytest.raises(BadSchedule, match=says) as refused:
        replay_file(file)
    assert "\n" not in str(refused.value)


def test_the_reference_has_no_fault_in_any_order_that_is_tried() -> None:
    load("agent_run")
    found = Explorer(ScenarioProgram(Copy("agent_run"), CANCELS), seconds=1, seed=1).explore()
    assert (found.finding, found.unsupported) == (None, "")
    assert found.one_delay.of > 100


def test_an_await_between_looking_and_acting_is_found(tmp_path: Path) -> None:
    twin = tmp_path / "awaits.py"
    twin.write_text(AWAITS.format(ports=str(ROOT / "conformance" / "ports")))
    violated, file = shown(twin, BY_NAME["a finish among emits"])
    assert violated.requirement in ("FINISH-3", "EMIT-9")
    assert replay_file(file).shown == 10


def test_a_deadlock_is_shown_again_though_its_trial_spoils_the_modules(tmp_path: Path) -> None:
    twin = tmp_path / "embrace.py"
    twin.write_text(EMBRACE)
    violated, file = shown(twin, BY_NAME["a cancel and a finish"])
    assert "wait for ever" in violated.text
    assert replay_file(file).shown == 10


def test_what_never_shows_itself_again_is_no_violation(tmp_path: Path) -> None:
    twin = tmp_path / "once.py"
    twin.write_text(ONCE.format(marker=str(tmp_path / "tries")))
    with pytest.raises(Unsupported, match="a violation of FINISH-4 was found and shown again 0 of 10 times"):
        Check(load(str(twin)), FINISHES, seconds=2, seed=1).run(lambda *_: None)


def test_the_suite_explores_with_the_deep_budget(tmp_path: Path) -> None:
    stranger = tmp_path / "stranger.py"
    stranger.write_text(STRANGER)
    which = "(finish_4 and looks) or (stranger and work_begin)"
    chosen = ("--budget=deep", f"--impl={stranger}", "-k", f"test_schedules and ({which})", "-rs")
    run = run_suite(str(TWO_WIN), tmp_path, *chosen)
    assert set(run.failures) == {"FINISH-4"}
    assert "2 of 2 finishes replied true" in run.failures["FINISH-4"]
    assert "schedules of finish_4_lets_two_win:" in run.output
    assert "two finishes, and one looks: one-delay sweep " in run.output
    assert "not applicable: the scheduler cannot keep control of stranger: thread " in run.output
