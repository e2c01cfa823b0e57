"""What the README shows is what happens."""

import re
import subprocess
import sys
from pathlib import Path

from agent_run_tck.index import requirements

from tests.kit.suite_run import ROOT, run_suite

README = (ROOT / "README.md").read_text()


def test_the_adapter_of_the_readme_passes(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (tmp_path / "example.py").write_text(example)
    run = run_suite("example", tmp_path, cwd=tmp_path)
    assert run.exit_status == 0, run.output
    applicable = sum(each.checked and each.profile != "consumer" for each in requirements().values()) - 1
    assert f"{applicable} requirements checked: {applicable} passed" in run.output
    assert "not applicable 16" in run.output, "the adapter names no module for a star import"


def test_the_failure_of_the_readme_is_what_the_suite_prints() -> None:
    ((command, shown),) = re.findall(r"```\n\$ pytest (.*?)\n(.*?)```", README, re.DOTALL)
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", *command.split()], cwd=ROOT, capture_output=True, text=True, check=False
    )
    printed = iter(finished.stdout.splitlines())
    missing = [line for line in shown.splitlines() if line not in printed]
    assert not missing, finished.stdout
