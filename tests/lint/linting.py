"""Runs the linter on bytes, records or files."""

import io
import json
from collections.abc import Iterable, Mapping
from typing import Any

from agent_run_tck.lint.findings import Finding
from agent_run_tck.lint.linter import Linter

TS = "2026-08-09T13:10:08.542283Z"
Record = Mapping[str, Any]


def lines(records: Iterable[Record]) -> bytes:
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


def findings(data: bytes) -> list[Finding]:
    return list(Linter("transcript").findings(io.BytesIO(data)))


def errors(records: Iterable[Record]) -> list[Finding]:
    return [finding for finding in findings(lines(records)) if finding.level == "error"]


def broken(records: Iterable[Record]) -> set[str]:
    """The requirements that the records violate."""
    return {finding.requirement for finding in errors(records)}


def published(*events: Record, run_id: str = "run") -> list[dict[str, Any]]:
    """The events as a run publishes them."""
    return [{"ts": TS, **event, "run-id": run_id, "seq": seq} for seq, event in enumerate(events)]


LOG = {"kind": "log", "level": "info", "data": "text"}
END = {"kind": "run-completed", "final": ""}
