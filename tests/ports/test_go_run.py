"""The port in Go: faults that are planted in it are caught, each under the requirement that it breaks."""

import shutil
import subprocess
from pathlib import Path

import pytest
from attrs import frozen

from tests.kit.suite_run import ROOT, run_suite

PORT = ROOT / "conformance" / "ports" / "go"
SECONDS = 300

pytestmark = pytest.mark.skipif(shutil.which("go") is None, reason="go is not installed, so its port cannot be built")


@frozen
class Fault:
    """Something right in a file of the port, and something wrong to put in its place."""

    breaks: str
    says: str
    file: str
    right: str
    wrong: str


FAULTS = {
    "lets_the_driver_choose_the_outcome": Fault(
        "RESULT-4",
        "outcome",
        "agentrun/run.go",
        'if key == "outcome" || key == "spent" && value == nil {',
        'if key == "spent" && value == nil {',
    ),
    "hands_on_what_is_queued_at_the_close": Fault(
        "STREAM-16",
        "close",
        "agentrun/tap.go",
        "\ttap.closed, tap.events = true, nil",
        "\ttap.closed = true",
    ),
    "lets_the_count_of_sections_go_below_zero": Fault(
        "WORK-4",
        "drained",
        "agentrun/run.go",
        "\tif run.sections > 0 {\n\t\trun.sections--\n\t}",
        "\trun.sections--",
    ),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_planted_in_the_port_is_caught(fault: Fault, tmp_path: Path) -> None:
    program = build(fault, tmp_path)
    family = fault.breaks.partition("-")[0].lower()
    run = run_suite(f"exec:{program}", tmp_path, "-k", f"test_{family}.py or test_finish.py")
    assert set(run.failures) == {fault.breaks}, run.output
    assert fault.says in run.failures[fault.breaks]


NO_PLAIN_DATA = """package agentrun

import (
	"encoding/json"
	"testing"
)

func TestWhatIsNoPlainDataIsRefused(t *testing.T) {
	within := map[string]any{}
	within["itself"] = within
	for name, value := range map[string]any{"a cycle": within, "not a number": json.Number("NaN")} {
		for _, key := range []string{"text", "data"} {
			if _, err := NewEvent("token", map[string]any{key: value}); err == nil {
				t.Errorf("%s as %s is accepted", name, key)
			}
		}
		if _, err := NewEvent("log", map[string]any{"level": "info", "data": value}); err == nil {
			t.Errorf("%s in a log is accepted", name)
		}
	}
}
"""


def test_what_is_no_plain_data_is_refused(tmp_path: Path) -> None:
    source = shutil.copytree(PORT, tmp_path / "source")
    (source / "agentrun" / "plain_test.go").write_text(NO_PLAIN_DATA)
    command = ["go", "test", "./agentrun"]
    tested = subprocess.run(command, cwd=source, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert tested.returncode == 0, tested.stdout + tested.stderr


def build(fault: Fault, folder: Path) -> Path:
    source = shutil.copytree(PORT, folder / "source")
    text = (source / fault.file).read_text()
    assert text.count(fault.right) == 1, f"{fault.file} has changed; let the fault fit it again"
    (source / fault.file).write_text(text.replace(fault.right, fault.wrong))
    program = folder / "port"
    command = ["go", "build", "-o", str(program), "./adapter"]
    built = subprocess.run(command, cwd=source, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert built.returncode == 0, built.stderr
    return program
