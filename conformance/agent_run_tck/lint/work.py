"""TOOL, BG and PARK: the calls of tools and the background operations of one stream."""

from collections.abc import Callable, Mapping
from typing import Any

from agent_run_tck.lint.findings import Report, shown

Record = dict[str, Any]

CALLS = frozenset({"tool-call", "tool-started", "tool-progress", "tool-result", "tool-abandoned"})
WHILE_PARKED = frozenset({"background-op-settled", "log", "subagent", "run-parked", "run-resumed"})


class Calls:
    """The calls of tools. Ended ones are kept until the round rises."""

    __slots__ = ("_ended", "_excused", "_open", "_round")

    def __init__(self) -> None:
        self._open: dict[Any, bool] = {}  # whether it was started
        self._ended: set[Any] = set()
        self._excused: set[Any] = set()  # of the open ones, those that should never have been
        self._round: int | None = None

    def judge(self, kind: str, record: Record, round: int | None, report: Report) -> None:
        if round != self._round:
            self._round = round
            self._ended.clear()
        id = record.get("id")
        if id.__class__ is str:
            self._judge(kind, id, record, report)

    def end(self, kind: str, report: Report) -> None:
        """Judge the terminal."""
        for id in self._open.keys() - self._excused:
            text = f"{kind} comes while call {shown(id)} is open; a tool-result or tool-abandoned has to come first"
            report("TOOL-1", "error", text)

    def _judge(self, kind: str, id: str, record: Record, report: Report) -> None:
        if id in self._ended:
            report("TOOL-3", "error", f"{kind} comes after the end of call {shown(id)} in the same round")
            if kind == "tool-call":  # what follows is the same mistake
                self._ended.discard(id)
                self._excused.add(id)
                self._open[id] = False
        elif kind == "tool-call":
            if id in self._open:
                report("TOOL-1", "error", f"tool-call repeats {shown(id)}, which is open; it has to end first")
            self._open.setdefault(id, False)
        elif id not in self._open:
            report("TOOL-1", "error", f"{kind} comes for call {shown(id)}, which is not open; a tool-call opens it")
        elif kind == "tool-started":
            if self._open[id]:
                report("TOOL-1", "error", f"tool-started comes twice for call {shown(id)}")
            self._open[id] = True
        elif kind == "tool-progress":
            if not self._open[id]:
                report("TOOL-1", "error", f"tool-progress comes for call {shown(id)}, which was not started")
        else:
            self._ends(kind, id, record, report)

    def _ends(self, kind: str, id: str, record: Record, report: Report) -> None:
        started = self._open.pop(id)
        self._ended.add(id)
        if kind == "tool-abandoned" and record.get("dispatched") is (not started):
            was = "was started" if started else "was not started"
            text = f"call {shown(id)} {was}, so dispatched has to be {str(started).lower()}"
            report("TOOL-2", "error", text)


class Operations:
    """The background operations, and whether the run is parked."""

    __slots__ = ("_open", "_waiting", "parked")

    def __init__(self) -> None:
        self._open: dict[Any, Any] = {}  # op-id to op-kind, in the order in which they started
        self._waiting: dict[Any, Any] = {}  # the same of those that wait for delivery, in the order of settling
        self.parked = False

    def end(self, kind: str, report: Report) -> None:
        """Judge the terminal."""
        for id in self._open:
            report("BG-1", "note", f"operation {shown(id)} is open at {kind}")
        for id in self._waiting:
            report("BG-2", "note", f"operation {shown(id)} settled and was not delivered by {kind}")

    def started(self, record: Record, report: Report) -> None:
        id = record.get("op-id")
        if not isinstance(id, str):
            return
        if id in self._open or id in self._waiting:
            state = "open" if id in self._open else "waiting for delivery"
            report("BG-1", "error", f"background-op-started repeats {shown(id)}, which is {state}")
        else:
            self._open[id] = record.get("op-kind")

    def settled(self, record: Record, report: Report) -> None:
        id = record.get("op-id")
        if not isinstance(id, str):
            return
        if id not in self._open:
            report("BG-1", "error", f"background-op-settled comes for {shown(id)}, which is not open")
            return
        kind = self._open.pop(id)
        if record.get("collected") is False:
            self._waiting[id] = kind

    def delivered(self, record: Record, report: Report) -> None:
        id = record.get("op-id")
        if isinstance(id, str):
            if id not in self._waiting:
                state = "has not settled" if id in self._open else "was collected or delivered, or never started"
                report("BG-2", "error", f"background-op-delivered comes for {shown(id)}, which {state}")
        else:
            id = next((each for each, kind in self._waiting.items() if kind == record.get("op-kind")), None)
        self._waiting.pop(id, None)

    def park(self, record: Record, report: Report) -> None:
        if self.parked:
            report("PARK-1", "error", "run-parked comes while the run is parked; a run-resumed has to come first")
        self.parked = True
        ops = record.get("ops")
        if not isinstance(ops, list):
            return
        if record.get("outstanding") != len(ops):
            text = f"outstanding is {shown(record.get('outstanding'))}, but ops has {len(ops)}; they have to agree"
            report("PARK-1", "error", text)
        named = [id for id in map(_op_id, ops) if id in self._open]
        expected = [id for id in self._open if id in named]
        if named != expected:
            text = f"ops has {shown(named)}; in the order in which they started, each once, that is {shown(expected)}"
            report("PARK-1", "error", text)

    def resume(self, record: Record, report: Report) -> None:
        if not self.parked:
            report("PARK-1", "error", "run-resumed comes while the run is not parked")
        self.parked = False


OPERATION_RULES: Mapping[str, Callable[[Operations, Record, Report], None]] = {
    "background-op-started": Operations.started,
    "background-op-settled": Operations.settled,
    "background-op-delivered": Operations.delivered,
    "run-parked": Operations.park,
    "run-resumed": Operations.resume,
}


def _op_id(item: Any) -> str | None:
    id = item.get("op-id") if isinstance(item, dict) else item
    return id if isinstance(id, str) else None
