"""The check of one file, in one pass: which stream a record is of, and what the rules say of it there."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import IO

from agent_run_tck.lint.findings import Finding, Level
from agent_run_tck.lint.records import Decoder, Lines, Record
from agent_run_tck.lint.stream import TERMINAL, Stream, descend
from agent_run_tck.lint.taxonomy import Taxonomy

MOST_ENDED = 10_000
"""So many of the latest runs that ended are remembered, to tell a record after the end from one of a new run."""

BETWEEN_LOOKS = 10_000
"""So many lines are read between two calls of `watch`."""


class Run(Stream):
    """A stream of the transcript itself, with the place where it was read last."""

    __slots__ = ("doubtful", "line", "lost", "told")

    def __init__(self, run_id: str, lost: int) -> None:
        super().__init__(run_id)
        self.line = 0
        self.lost = lost  # how many lines had been unreadable when its latest record came
        self.told = False  # that something came after the terminal
        self.doubtful = False  # a record may be among the lines that were unreadable, so what is open is not known


class Linter:
    """Checks one transcript. Memory is bounded by what is open in its streams, whatever its length.

    `watch` is called now and then, to tell how far it is. `findings` blocks as its file does, and yields each finding
    when its line has been read. Not for several threads.
    """

    def __init__(self, name: str, watch: Callable[["Linter"], None] = lambda linter: None) -> None:
        self.name = name
        self._watch = watch
        self.lines = 0
        self.bytes = 0
        self._open: dict[str, Run] = {}
        self._ended: OrderedDict[str, Run] = OrderedDict()
        self._found: list[Finding] = []
        self._line = 0
        self._lost = 0
        self._some = False  # there was a line that is not blank
        self._path = ""
        self._taxonomy = Taxonomy(lambda message: self._report("GRAM-2", "note", message))

    def findings(self, file: IO[bytes]) -> Iterator[Finding]:
        """Everything that is wrong in the file, or worth a note, in the order of its lines."""
        lines, decoder = Lines(file), Decoder(self._report)
        for line in lines:
            self._line, self._path = lines.number, ""
            self.lines, self.bytes = lines.number, lines.bytes
            record = decoder.record(line, lines.number)
            if record is not None:
                self._take(record)
                self._some = True
            elif self._found:
                self._lost += 1
                self._some = True
            if self._found:
                yield from self._told()
            if not lines.number % BETWEEN_LOOKS:
                self._watch(self)
        self._end()
        yield from self._told()

    def _told(self) -> Iterator[Finding]:
        found, self._found = self._found, []
        yield from found

    def _report(self, requirement: str, level: Level, message: str) -> None:
        self._found.append(Finding(self.name, self._line, requirement, level, message, self._path))

    def _take(self, record: Record) -> None:
        run_id = record.get("run-id")
        self._path = run_id if isinstance(run_id, str) else ""
        known = self._taxonomy.check(record, self._report)
        if not isinstance(run_id, str):
            if run_id is None and "run-id" not in record:
                self._report("GRAM-1", "error", "the record has no run-id; nobody can tell which run it is of")
            return
        run = self._open.get(run_id)
        if run is None:
            run = self._ended.get(run_id)
            if run is not None:
                self._after_the_end(run, record)
                return
            run = self._open[run_id] = Run(run_id, 0)
        self._place(run, record)
        run.line = self._line
        if run.doubtful:
            self._doubt(run, record)
        elif known:
            self._judge(run, record)
        else:
            run.ended_inside = False

    def _place(self, run: Run, record: Record) -> None:
        """Judge the seq of a record by GRAM-1; lines that could not be read may have been of the run."""
        seq = record.get("seq")
        if seq.__class__ is not int:
            if "seq" not in record:
                self._report("GRAM-1", "error", "the record has no seq; a transcript has published events")
            run.seq += 1
        elif seq == run.seq:
            run.seq = seq + 1
        elif 0 < seq - run.seq <= self._lost - run.lost:
            text = f"{seq - run.seq} of its records may be in lines that cannot be read, so what is open is not known"
            self._report("GRAM-1", "note", f"{text}; from here on only GRAM-1 and GRAM-2 are judged")
            run.seq, run.doubtful = seq + 1, True
        else:
            expected = f"it has to be {run.seq}" if run.line else "the first record of a stream has 0"
            self._report("GRAM-1", "error", f"seq is {seq}; {expected}")
            run.seq = seq + 1
        run.lost = self._lost

    def _judge(self, run: Run, record: Record) -> None:
        """Judge the record, and what it wraps, down to the innermost."""
        stream: Stream = run
        kind = record["kind"]
        stream.judge(kind, record, self._report)
        while kind == "subagent" and (inside := descend(stream, record, self._taxonomy, self._report)):
            agent, stream, record = inside
            self._path = f"{self._path} > {agent}"
            kind = record["kind"]
            stream.judge(kind, record, self._report)
        run.ended_inside = stream is not run and kind in TERMINAL
        if run.over:
            self._let_go(run)

    def _doubt(self, run: Run, record: Record) -> None:
        """Of a run that may have lost a record only its end is judged."""
        run.ended_inside = False
        if record.get("kind") in TERMINAL:
            self._let_go(run)

    def _let_go(self, run: Run) -> None:
        del self._open[run.run_id]
        ended = self._ended[run.run_id] = Run(run.run_id, self._lost)
        ended.line = run.line
        if len(self._ended) > MOST_ENDED:
            self._ended.popitem(last=False)

    def _after_the_end(self, run: Run, record: Record) -> None:
        if not run.told:
            text = f"{record.get('kind')} comes after the terminal in line {run.line}; nothing may"
            self._report("GRAM-1", "error", text)
        run.told = True

    def _end(self) -> None:
        if not self._some:
            self._line = 1
            self._report("GRAM-1", "error", "the file has no record; a transcript has one in each line")
        for run in self._open.values():
            self._line, self._path = run.line, run.run_id
            if self._lost > run.lost:
                self._report("GRAM-1", "note", "the stream has no terminal, unless it is in a line that cannot be read")
            elif run.ended_inside:
                text = "the stream stops with the terminal of a child; the run has to go on to one of its own"
                self._report("SUB-3", "error", text)
            else:
                self._report("GRAM-1", "error", "the stream stops without a terminal; a run ends in exactly one")
