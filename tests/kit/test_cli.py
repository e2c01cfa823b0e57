"""The command line: what it hands on, and what it says when it cannot."""

from pathlib import Path

import pytest
from agent_run_tck import cli

TOOLS = """import sys
print(sys.argv[1:])
sys.exit(3)
"""


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Models that print their arguments and end with 3, as they are after an installation."""
    (tmp_path / "tools.py").write_text(TOOLS)
    monkeypatch.setattr(cli, "CHECKOUT", tmp_path / "none")
    monkeypatch.setattr(cli, "SHIPPED", tmp_path)
    return tmp_path


def test_arguments_and_exit_status_of_the_models_go_through(models: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["model", "check", "--only", "taps", "--", "-x"]) == 3
    assert capfd.readouterr().out == "['check', '--only', 'taps', '--', '-x']\n"
    assert cli.main(["model", "--help"]) == 3
    assert capfd.readouterr().out == "['--help']\n"


def test_a_checkout_is_preferred(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout = models / "checkout"
    checkout.mkdir()
    (checkout / "tools.py").write_text("raise SystemExit(4)")
    monkeypatch.setattr(cli, "CHECKOUT", checkout)
    assert cli.main(["model", "export"]) == 4


@pytest.mark.parametrize("command", cli.WRITES_TO_CHECKOUT)
def test_what_writes_into_a_checkout_needs_one(command: str, models: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["model", command]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err == f"agent-run-tck: model {command} writes into a checkout of the project; run it there\n"


def test_models_that_are_not_there_are_one_line(models: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (models / "tools.py").unlink()
    assert cli.main(["model", "check"]) == 2
    assert capfd.readouterr().err.startswith("agent-run-tck: the models are not installed with the package;")


@pytest.mark.parametrize("arguments", [[], ["bogus"], ["--bogus", "model"]])
def test_a_wrong_command_line_ends_with_2_and_says_why(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)
    assert end.value.code == 2
    assert "agent-run-tck: error: " in capfd.readouterr().err


def test_the_checkouts_own_models_are_found() -> None:
    assert (cli.CHECKOUT / "tools.py").is_file()
