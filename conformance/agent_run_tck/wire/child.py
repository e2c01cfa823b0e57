"""A child process that is asked in lines: started in a process group of its own, read, and reaped whatever it does."""

import atexit
import contextlib
import os
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Sequence

MOST_BYTES = 2**20  # of one line
KEPT_LINES = 40  # of stderr
CHUNK = 2**16
FAR_OFF = "Pacific/Chatham"  # a local time that is far from UTC shows who writes it for a ts (EVENT-9)
REAPING_SECONDS = 5.0
HEARING_SECONDS = 1.0  # what it has started may keep its stderr open


class Child:
    """One process. `receive` is called with each line of its stdout, `ended` once there are no more, on one thread.

    Nothing is read before `start`. Any thread may write, kill and ask for what it said; `kill` waits for the end of the
    process, for a moment at most.
    """

    over = False

    def __init__(self, command: Sequence[str], receive: Callable[[bytes], None], ended: Callable[[str], None]) -> None:
        self._receive = receive
        self._ended = ended
        self._said: deque[str] = deque(maxlen=KEPT_LINES)
        self._started = ""
        self._writing = threading.Lock()
        self._heard, self._read_out = (
            threading.Thread(target=work, name=f"{name} of {command[0]}", daemon=True)
            for work, name in ((self._hear, "stderr"), (self._read, "stdout"))
        )
        with _starting:
            if self.over:
                raise RuntimeError("the suite has ended, and starts no port any more")
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                process_group=0,
                env={**os.environ, "TZ": FAR_OFF},
            )
            _living.add(self)

    def start(self) -> None:
        """Begin to read what it writes. Once."""
        for thread in (self._heard, self._read_out):
            thread.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def half_a_line(self) -> str:
        """What came of a line that has not ended."""
        return self._started

    def said(self) -> list[str]:
        """The last lines of its stderr; all that it has written, once it has ended."""
        if not self.alive:
            self._heard.join(HEARING_SECONDS)
        return list(self._said)

    def write(self, line: bytes, seconds: float) -> bool:
        """Send a line. False when others have been at it for `seconds`, because the child does not read.

        OSError when there is nobody to read it. Blocks while the pipe is full, until the child reads or is killed.
        """
        assert self._process.stdin is not None
        if not self._writing.acquire(timeout=seconds):
            return False
        try:
            unsent = memoryview(line)
            while unsent:
                unsent = unsent[os.write(self._process.stdin.fileno(), unsent) :]
        finally:
            self._writing.release()
        return True

    def status(self, seconds: float) -> str:
        """How it ended, or that it has not within `seconds`."""
        try:
            status = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return "it still runs"
        return f"status {status}" if status >= 0 else f"signal {signal.Signals(-status).name}"

    def kill(self) -> None:
        """Kill the process with all that it has started, and reap it. Idempotent."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(REAPING_SECONDS)
        for thread in (self._heard, self._read_out):
            if thread.is_alive() and thread is not threading.current_thread():
                thread.join(REAPING_SECONDS)
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        _living.discard(self)

    def _read(self) -> None:
        assert self._process.stdout is not None
        rest = b""
        with self._process.stdout as stdout:
            while chunk := _some(stdout.fileno()):
                *lines, rest = (rest + chunk).split(b"\n") if rest else chunk.split(b"\n")
                for line in lines:
                    self._receive(line)
                if len(rest) > MOST_BYTES:
                    self._receive(rest)
                    break
                self._started = rest[:100].decode(errors="replace")
        self._ended(self._started)

    def _hear(self) -> None:
        assert self._process.stderr is not None
        rest = b""
        with self._process.stderr as stderr:
            while chunk := _some(stderr.fileno()):
                *lines, rest = (rest + chunk).split(b"\n")
                self._said.extend(line.decode(errors="replace")[:500] for line in lines)
                rest = rest[-CHUNK:]
        if rest:
            self._said.append(rest.decode(errors="replace")[:500])


_living: set[Child] = set()
_starting = threading.Lock()  # so that none is started unseen while all are killed for the last time


def kill_all() -> None:
    """Kill every child that is left, with all that it has started."""
    for child in list(_living):
        child.kill()


@atexit.register
def _over() -> None:
    """What still asks, on a thread that nobody waits for, gets no port any more: there would be nobody to kill it."""
    with _starting:
        Child.over = True
    kill_all()


def _some(file: int) -> bytes:
    """What there is to read, nothing at the end."""
    try:
        return os.read(file, CHUNK)
    except OSError:
        return b""
