"""What a check of transcripts has to say."""

import json
from collections.abc import Callable
from typing import Literal

from attrs import frozen

Level = Literal["error", "note"]
UNREADABLE = "JSON"
"""Stands for a requirement where a line is no record: the contract says nothing of how bytes become records."""


@frozen
class Finding:
    """Something about one line of a file. A note fails nothing."""

    file: str
    line: int
    requirement: str
    level: Level
    message: str
    stream: str = ""
    """The run-id, and behind it the agent-ids down to the child that it is about; empty where no stream is known."""


Report = Callable[[str, Level, str], None]
"""Called with requirement, level and message, while the line that it is about is being read."""

LONGEST = 60


def shown(value: object) -> str:
    """A value out of a transcript, on one line, and not all of it where it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "a value of many levels"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
