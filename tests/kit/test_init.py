"""`agent-run-tck init`: skeletons that start, and say what to write next."""

import json
import shlex
import shutil
import subprocess
import threading
import tomllib
from pathlib import Path
from typing import Any

import pytest
from agent_run_tck import cli
from agent_run_tck.init import LANGUAGES, SKELETONS, commands
from agent_run_tck.loading import load

from tests.kit.suite_run import ROOT, run_suite

SCHEMAS = ROOT / "spec" / "schemas"
OWN = {"hello", "forget", "bye"}  # what a skeleton does itself
TO_DO: dict[str, str] = tomllib.loads((SKELETONS / "to_do.toml").read_text())
IN_PROCESS = ("python", "asyncio")
PORTS = {"node": ("node", "JavaScript"), "go": ("go", "Go"), "rust": ("rustc", "Rust"), "raku": ("raku", "Raku")}
SECONDS = 300


def port(language: str) -> Any:
    tool = PORTS[language][0]
    absent = pytest.mark.skipif(shutil.which(tool) is None, reason=f"{tool} is not installed")
    return pytest.param(language, marks=absent)


def written(language: str, folder: Path) -> Path:
    assert cli.main(["init", "--lang", language, str(folder)]) == 0
    return folder / LANGUAGES[language].file


def talk(command: list[str], requests: list[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """What a port replies to each request, in whatever order; then it has to end itself when it is told bye."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as spoken:
        deadline = threading.Timer(SECONDS, spoken.kill)
        deadline.start()
        assert spoken.stdin is not None
        assert spoken.stdout is not None
        print(*(json.dumps(each, ensure_ascii=False) for each in requests), sep="\n", file=spoken.stdin, flush=True)
        replies = [json.loads(spoken.stdout.readline()) for _ in requests]
        print(json.dumps({"id": 99, "op": "bye"}), file=spoken.stdin, flush=True)
        assert json.loads(spoken.stdout.readline()) == {"id": 99, "ok": None}
        assert spoken.wait() == 0
        deadline.cancel()
    return {reply["id"]: reply for reply in replies}


def started(language: str, folder: Path) -> list[str]:
    """The command of a skeleton, after what has to be built was built as init says."""
    *build, try_it = commands(LANGUAGES[language], written(language, folder))
    for command in build:
        subprocess.run(shlex.split(command), timeout=SECONDS, check=True)
    (impl,) = [word for word in shlex.split(try_it) if word.startswith("--impl=exec:")]
    return shlex.split(impl.removeprefix("--impl=exec:"))


def test_there_is_something_to_say_of_every_operation_of_the_protocol() -> None:
    schemas = {path.stem: json.loads(path.read_text()) for path in SCHEMAS.glob("*.json")}
    operations = {name for name, schema in schemas.items() if "request" in schema.get("$defs", {})}
    assert set(TO_DO) == operations - OWN
    assert set(PORTS) | set(IN_PROCESS) == set(LANGUAGES)


@pytest.mark.parametrize("language", [port(language) for language in PORTS])
def test_a_port_answers_hello_and_says_what_to_write(language: str, tmp_path: Path) -> None:
    contract = 'any text: ä \u2028 " \\ \N{GRINNING FACE}'
    hello = {"id": 1, "op": "hello", "protocol": 1, "contract": contract}
    others = list(enumerate(TO_DO, start=2))
    command = started(language, tmp_path / "a folder")
    replies = talk(command, [hello, *({"id": id, "op": op} for id, op in others)])
    said = replies[1]["ok"]
    assert (said["protocol"], said["contract"], said["language"]) == (1, contract, PORTS[language][1])
    for id, op in others:
        message = f"write {op}: {TO_DO[op]}"
        assert replies[id] == {"id": id, "error": {"code": "unsupported", "message": message}}


@pytest.mark.parametrize("language", IN_PROCESS)
def test_an_adapter_loads_and_every_check_says_what_to_write(language: str, tmp_path: Path) -> None:
    path = written(language, tmp_path)
    assert load(str(path)).name == "my run"
    chosen = {"IDENT-1": "__init__", "EMIT-1": "emit", "WORK-1": "work_begin"}
    run = run_suite(str(path), tmp_path, *(f"--requirement={id}" for id in chosen))
    assert set(run.failures) == set(chosen), run.output
    assert [id for id, method in chosen.items() if f"write {method}: " not in run.failures[id]] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_there_stays(language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / LANGUAGES[language].file
    path.write_text("mine")
    assert cli.main(["init", "--lang", language, str(tmp_path)]) == 2
    said = f"agent-run-tck: {path} is there already and stays as it is; name another folder\n"
    assert capsys.readouterr().err == said
    assert path.read_text() == "mine"


def test_a_folder_that_is_a_file_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    for folder in ("file", "file/below"):
        assert cli.main(["init", "--lang", "node", str(tmp_path / folder)]) == 2
        assert capsys.readouterr().err.startswith(f"agent-run-tck: {tmp_path}")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("arguments", [["--lang", "perl", "x"], ["x"], ["--lang", "node"]])
def test_a_wrong_command_line_ends_with_2_and_says_why(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["init", *arguments])
    assert end.value.code == 2
    assert "agent-run-tck init: error: " in capsys.readouterr().err


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_says_what_to_type_next(language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(language, tmp_path)
    first, *lines = capsys.readouterr().out.splitlines()
    assert first == f"wrote {path}; to try it:"
    assert [line.strip() for line in lines] == commands(LANGUAGES[language], path)
