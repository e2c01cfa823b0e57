"""The command `agent-run-tck lint`: formats, exit statuses, and what it does with files that cannot be read."""

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from agent_run_tck.index import requirements
from agent_run_tck.lint.command import lint

from tests.lint.linting import END, LOG, lines, published

RIGHT = lines(published(LOG, END))
WRONG = lines(published({"kind": "token", "text": "a:b%\n"}, END, run_id="a\nb"))
NOTED = lines(published({**LOG, "color": "red"}, END))
SECONDS = 60
COMMAND = Path(sys.executable).with_name("agent-run-tck")

Write = Callable[[str, bytes], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str, data: bytes) -> str:
        (tmp_path / name).write_bytes(data)
        return str(tmp_path / name)

    return write


def command(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [COMMAND, "lint", *arguments], input=given, capture_output=True,
        timeout=SECONDS, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(("data", "status"), [(RIGHT, 0), (NOTED, 0), (WRONG, 1)], ids=["right", "noted", "wrong"])
def test_the_exit_status_tells_whether_something_is_wrong(write: Write, data: bytes, status: int) -> None:
    assert lint([write("t.jsonl", data)]) == status


def test_text_has_a_line_for_each_finding_and_each_requirement(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = write("t.jsonl", WRONG)
    assert lint([wrong, write("u.jsonl", NOTED)]) == 1
    first, second, summary, totals = capsys.readouterr().out.splitlines()
    title = requirements()["FRAME-1"].title
    told = f"{wrong}:1: FRAME-1 a token comes while no turn is open; it has to come in an open attempt"
    assert first == rf"{told} ({title}) [run a\nb]"
    assert second.endswith('u.jsonl:1: GRAM-2 note: log has a key that the taxonomy does not know: "color" [run run]')
    assert summary.split(maxsplit=2) == ["FRAME-1", "1", title]
    assert totals == "2 files, 4 lines, 1 error, 1 note"


def test_json_ends_with_the_totals(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(["--format=json", write("t.jsonl", WRONG)]) == 1
    finding, end = map(json.loads, capsys.readouterr().out.splitlines())
    assert (finding["line"], finding["requirement"], finding["stream"]) == (1, "FRAME-1", "a\nb")
    assert end == {
        "end": True,
        "contract": "1.0",
        "files": 1,
        "lines": 2,
        "unread": [],
        "errors": {"FRAME-1": 1},
        "notes": {},
    }


@pytest.mark.parametrize("data", [RIGHT, WRONG, WRONG + NOTED], ids=["none", "one", "several"])
def test_sarif_is_one_document(write: Write, capsys: pytest.CaptureFixture[str], data: bytes) -> None:
    lint(["--format=sarif", write("t.jsonl", data)])
    document = json.loads(capsys.readouterr().out)
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert all(result["ruleId"] in rules for result in run["results"])
    assert len(run["results"]) == data.count(b"token") + data.count(b"color")
    assert all(result["message"]["text"].endswith("]") for result in run["results"]), "each says of which run it is"


def test_a_file_that_cannot_be_read_is_in_every_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = str(tmp_path / "missing")
    told = f"{missing} cannot be read: No such file or directory"
    assert lint([missing]) == 2
    assert capsys.readouterr().out == "1 file, 0 lines, 0 errors, 0 notes, 1 file not read to the end\n"
    lint(["--format=json", missing])
    assert json.loads(capsys.readouterr().out)["unread"] == [told]
    lint(["--format=sarif", missing])
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == told


def test_github_shows_it_beside_the_line(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    lint(["--format=github", write("a,b.jsonl", WRONG + NOTED)])
    first, second = capsys.readouterr().out.splitlines()
    assert "a%2Cb.jsonl,line=1,title=FRAME-1::a token comes" in first
    assert (first.startswith("::error file="), second.startswith("::notice file=")) == (True, True)


def test_a_file_that_cannot_be_read_is_one_sentence_and_the_others_are_checked(write: Write, tmp_path: Path) -> None:
    cut = write("cut.gz", gzip.compress(RIGHT * 1000)[:-20])
    run = command(str(tmp_path / "missing"), str(tmp_path), cut, write("t.jsonl", WRONG))
    assert run.returncode == 2
    says = run.stderr.decode().splitlines()
    assert len(says) == 3
    for part, say in zip(("No such file", "Is a directory", "end-of-stream"), says, strict=True):
        assert part in say
    assert b"FRAME-1" in run.stdout


def test_standard_input_is_read_plain_and_packed() -> None:
    for given in (WRONG, gzip.compress(WRONG)):
        run = command("-", "-", given=given)
        assert (run.returncode, run.stderr) == (1, b"")
        assert run.stdout.startswith(b"<stdin>:1: FRAME-1 ")


def test_a_reader_of_the_output_may_leave(write: Write) -> None:
    many = write("t.jsonl", WRONG * 20_000)
    whole = [COMMAND, "lint", many]
    with subprocess.Popen(whole, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(SECONDS) == 1


def test_a_wrong_format_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        lint(["--format=xml", "t.jsonl"])
    assert "invalid choice: 'xml'" in capsys.readouterr().err
