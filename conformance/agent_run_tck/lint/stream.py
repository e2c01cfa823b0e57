"""One stream: its envelope, its children, and the rules on what is open in it."""

from typing import Any

from agent_run_tck.index import terminal_kinds
from agent_run_tck.lint.findings import Report, shown
from agent_run_tck.lint.frames import FRAME_RULES, Frames
from agent_run_tck.lint.taxonomy import Taxonomy, kinds
from agent_run_tck.lint.work import CALLS, OPERATION_RULES, WHILE_PARKED, Calls, Operations

Record = dict[str, Any]

TERMINAL = terminal_kinds()
ROUNDED = frozenset(name for name, kind in kinds().items() if "round" in kind.fields)


class Stream:
    """The state of one stream: as much as is open in it. Records of it are handed to `judge`, in order."""

    __slots__ = ("_calls", "_frames", "_operations", "children", "ended_inside", "over", "run_id", "seq")

    def __init__(self, run_id: Any = None, seq: int = 0) -> None:
        self.run_id = run_id
        self.seq = seq
        """The seq that the next record has to have."""
        self.over = False
        self.ended_inside = False
        """The latest record wraps a terminal, at whatever depth."""
        self.children: dict[Any, Child] = {}
        self._frames = Frames()
        self._calls = Calls()
        self._operations = Operations()

    def judge(self, kind: str, record: Record, report: Report) -> None:
        """Judge a record of a known kind by all rules on what is open; the envelope has been judged."""
        frames, operations = self._frames, self._operations
        round = record.get("round")
        if round.__class__ is int and kind in ROUNDED:
            frames.judge_round(kind, round, report)
        if operations.parked and kind not in WHILE_PARKED:
            report("PARK-2", "error", f"{kind} comes while the run is parked; a run-resumed has to come first")
        if kind in FRAME_RULES:
            FRAME_RULES[kind](frames, record, report)
        elif kind in CALLS:
            self._calls.judge(kind, record, frames.round, report)
        elif kind in OPERATION_RULES:
            OPERATION_RULES[kind](operations, record, report)
        if kind in TERMINAL:
            self.over = True
            for part in (frames, self._calls, operations):
                part.end(kind, report)


class Child:
    """What is known of one agent-id in the stream that carries it."""

    __slots__ = ("call_id", "stream")

    def __init__(self, call_id: Any) -> None:
        self.call_id = call_id
        self.stream: Stream | None = None


def descend(stream: Stream, record: Record, taxonomy: Taxonomy, report: Report) -> tuple[str, Stream, Record] | None:
    """From a subagent record to the child's stream and the record inside, once its place in there has been judged.

    None where there is nothing inside that more could be said of.
    """
    agent, inner = record.get("agent-id"), record.get("inner")
    if not isinstance(agent, str) or not isinstance(inner, dict):
        return None  # GRAM-2 has been said
    child = _child(stream, agent, record.get("call-id"), report)
    if child is None:
        return None

    def of_child(requirement: str, level: Any, message: str) -> None:
        report(requirement, level, f"in the stream of child {shown(agent)}, {message}")

    known = taxonomy.check(inner, of_child)
    follows = _place(child, inner, of_child)
    return (agent, follows, inner) if known and follows is not None else None


def _child(stream: Stream, agent: str, call_id: Any, report: Report) -> Child | None:
    child = stream.children.get(agent)
    if child is None:
        child = stream.children[agent] = Child(call_id)
    elif child.call_id != call_id:
        before, now = (
            f"call-id {shown(each)}" if each is not None else "no call-id" for each in (child.call_id, call_id)
        )
        report("SUB-2", "error", f"agent {shown(agent)} has {now} and had {before}; it has to stay the same")
        child.call_id = call_id
    return child


def _place(child: Child, inner: Record, report: Report) -> Stream | None:
    """Judge run-id and seq of a child's record by SUB-1; the stream that it is of, unless that is over."""
    run_id, seq = inner.get("run-id"), inner.get("seq")
    if not isinstance(run_id, str) or not isinstance(seq, int):
        missing = "run-id" if not isinstance(run_id, str) else "seq"
        report("SUB-1", "error", f"{inner.get('kind')} has no {missing}; a child's records are published ones")
        _go_on(child, run_id, seq)
        return None
    stream = child.stream
    if stream is not None and stream.run_id is None:
        stream.run_id = run_id
    if stream is None or (run_id != stream.run_id and seq == 0):
        if stream is None and seq != 0:
            report("SUB-1", "error", f"the first record has seq {seq}; it has to have 0")
        stream = child.stream = Stream(run_id)
    elif stream.over:
        text = f"{inner.get('kind')} comes after the terminal; only a restart may, with another run-id and seq 0"
        report("SUB-1", "error", text)
        stream.run_id, stream.seq = run_id, seq + 1
        return None
    elif run_id != stream.run_id:
        text = (
            f"run-id is {shown(run_id)} and was {shown(stream.run_id)}, and seq is {seq}; a restart begins with seq 0"
        )
        report("SUB-1", "error", text)
    elif seq != stream.seq:
        restart = "; a restart has another run-id" if seq == 0 else ""
        report("SUB-1", "error", f"seq is {seq}; it has to be {stream.seq}{restart}")
    stream.run_id, stream.seq = run_id, seq + 1
    return stream


def _go_on(child: Child, run_id: Any, seq: Any) -> None:
    """Take what a record has of its place, as if the rest had been right."""
    stream = child.stream = child.stream or Stream(run_id if isinstance(run_id, str) else None)
    stream.seq = (seq if isinstance(seq, int) else stream.seq) + 1
