"""The examples of spec/streams.md as whole transcripts, so that a check can be asked whether it agrees with them."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from agent_run_tck.index import example_payload, taxonomy
from attrs import frozen

STREAMS = Path(__file__).parents[2] / "spec" / "streams.md"
TS = "2026-08-09T13:10:08.542283Z"
# What the words behind a kind stand for, in this order; a word with = names its key.
WORDS = {
    "token": ("text",), "assistant-message": ("message",), "round-started": ("round",), "turn-discarded": ("reason",),
    "tool-call": ("id",), "tool-started": ("id",), "tool-progress": ("id",), "tool-result": ("id",),
    "tool-abandoned": ("id", "dispatched"), "background-op-started": ("op-id",), "run-resumed": ("reason",),
    "background-op-settled": ("op-id", "collected"), "background-op-delivered": ("op-id",),
}  # fmt: skip
VALUES = {"true": True, "false": False, "null": None}


@frozen
class Example:
    requirement: str
    right: bool
    text: str
    records: tuple[dict[str, Any], ...]


@cache
def examples() -> tuple[Example, ...]:
    """All of them, in the order of the page."""
    parts = re.split(r"^### ", STREAMS.read_text(), flags=re.MULTILINE)[1:]
    return tuple(example for part in parts for example in _of_requirement(part.split()[0], part.partition("\n## ")[0]))


def _of_requirement(requirement: str, part: str) -> Iterator[Example]:
    for block in re.findall(r"^```\n(.*?)^```", part, re.MULTILINE | re.DOTALL):
        for line in block.replace("\n  |", " |").splitlines():
            if line[0] in "✓✗":
                yield Example(requirement, line[0] == "✓", line, _transcript(line[2:]))


def _transcript(text: str) -> tuple[dict[str, Any], ...]:
    records = [_record(words) for words in text.split(" | ")]
    return tuple({**record, "ts": TS, "run-id": "run", "seq": seq} for seq, record in enumerate(records))


def _record(text: str) -> dict[str, Any]:
    kind, *words = shlex.split(text)
    if kind not in taxonomy():
        return {"kind": kind}
    always = {field["name"]: field["default"] for field in taxonomy()[kind]["fields"] if field["presence"] == "always"}
    named = dict(word.split("=") for word in words if "=" in word)
    plain = _plain_words(kind, [word for word in words if "=" not in word])
    return {"kind": kind, **always, **example_payload(kind), **plain, **_named(kind, named)}


def _named(kind: str, named: dict[str, str]) -> dict[str, Any]:
    return {("call-id" if kind == "subagent" else key): VALUES.get(value, value) for key, value in named.items()}


def _plain_words(kind: str, words: list[str]) -> dict[str, Any]:
    if kind == "subagent":
        return _child(words)
    if kind == "run-parked":
        return {"outstanding": int(words[0]), "ops": words[1:]}
    if kind.startswith("attempt-"):
        round, attempt = words[0].split(".")
        return {"round": int(round), "attempt": int(attempt)}
    return {key: _value(key, word) for key, word in zip(WORDS.get(kind, ()), words, strict=False)}


def _value(key: str, word: str) -> Any:
    if key == "message":
        return {"role": "assistant", "content": word}
    return int(word) if key == "round" else VALUES.get(word, word)


def _child(words: list[str]) -> dict[str, Any]:
    agent, run_id, seq = words[0].split(":")
    inner = _record(words[1])
    return {"agent-id": agent, "inner": {**inner, "ts": TS, "run-id": run_id, "seq": int(seq)}}
