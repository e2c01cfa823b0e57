"""What `pip install` brings: two packages, the data they read, and a suite that works far from any checkout."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.kit.suite_run import ROOT

PORT = ROOT / "conformance" / "ports" / "asyncio_run.py"
SKELETONS = ROOT / "conformance" / "agent_run_tck" / "skeletons"
SECONDS = 300
DATA = {
    "agent_run_tck/spec/requirements.toml": ROOT / "spec" / "requirements.toml",
    **{f"agent_run_tck/skeletons/{path.name}": path for path in SKELETONS.iterdir() if path.is_file()},
    "agent_run_tck/spec/events.toml": ROOT / "spec" / "events.toml",
    "agent_run_tck/spec/trace.schema.json": ROOT / "spec" / "trace.schema.json",
    **{f"agent_run_tck/spec/schemas/{path.name}": path for path in (ROOT / "spec" / "schemas").glob("*.json")},
}


def call(*command: str | Path, cwd: Path) -> str:
    """What the command prints. A failure fails the test with all that it said."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=settings, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    call(*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def bin_folder(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of a new environment that has the wheel, what it declares to need, and nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    call(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    found = folder / "venv" / "bin"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", found / "python")
    call(*pip, "install", "--quiet", wheel, cwd=folder)
    return found


def test_the_wheel_has_two_packages_and_the_data_that_they_read(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"agent_run", "agent_run_tck"}
        for name, source in DATA.items():
            assert archive.read(name) == source.read_bytes()


def test_every_module_of_the_checkout_is_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if name.endswith(".py")}
    here = {
        str(path.relative_to(base))
        for base, package in ((ROOT / "reference", "agent_run"), (ROOT / "conformance", "agent_run_tck"))
        for path in (base / package).rglob("*.py")
    }
    assert here <= packed, f"the wheel lacks {sorted(here - packed)}"


def test_installed_it_checks_a_port_from_anywhere(bin_folder: Path, tmp_path: Path) -> None:
    shutil.copy(PORT, tmp_path)
    options = ("--pyargs", "agent_run_tck", "--impl=asyncio_run", "--budget=quick")
    said = call(bin_folder / "pytest", *options, cwd=tmp_path)
    assert "\nimplementation: asyncio_run " in said
    assert ", 0 failed; " in said, said


def test_installed_it_judges_a_recording(bin_folder: Path, tmp_path: Path) -> None:
    shutil.copy(ROOT / "tla" / "traces" / "good" / "at_random-reference.jsonl", tmp_path / "my.jsonl")
    said = call(bin_folder / "agent-run-tck", "replay", "my.jsonl", cwd=tmp_path)
    assert said == "the contract allows what was recorded: 98 records\n"


def test_installed_nothing_else_of_the_project_is_importable(bin_folder: Path, tmp_path: Path) -> None:
    ask = "import importlib.util as util, sys; print([name for name in sys.argv[1:] if util.find_spec(name)])"
    names = ("agent_run", "agent_run_tck", "tests", "conformance", "reference", "spec", "tla", "bench", "ports")
    assert call(bin_folder / "python", "-c", ask, *names, cwd=tmp_path) == "['agent_run', 'agent_run_tck']\n"


def test_installed_below_a_project_it_keeps_out_of_the_tests_of_that_project(bin_folder: Path) -> None:
    project = bin_folder.parents[1]
    (project / "test_own.py").write_text("import sys\ndef test_own():\n    assert 'agent_run' not in sys.modules\n")
    said = call(bin_folder / "pytest", cwd=project)
    assert "1 passed" in said
    assert "agent run contract" not in said, said
