"""The text of the protocol says what is so: its tables are those of the schemas, its session goes as it is written."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from tests.kit.suite_run import ROOT

SPEC = ROOT / "spec"
TEXT = (SPEC / "protocol.md").read_text(encoding="utf-8")
PORT = (sys.executable, str(ROOT / "conformance" / "ports" / "model_port.py"), "agent_run")
SECONDS = 60
Message = dict[str, Any]


def turns() -> Iterator[tuple[list[Message], list[Message]]]:
    """What the suite sends, and what the port then sends until the suite sends something again."""
    lines = [line for block in re.findall(r"```session\n(.*?)```", TEXT, re.DOTALL) for line in block.splitlines()]
    sent: list[Message] = []
    came: list[Message] = []
    for line in lines:
        if line.startswith("> ") and came:
            yield sent, came
            sent, came = [], []
        (sent if line.startswith("> ") else came).append(json.loads(line[2:]))
    yield sent, came


def masked(message: Any, pattern: Any) -> Any:
    """The message with a star where the pattern has one."""
    if pattern == "*":
        return "*"
    if isinstance(message, dict) and isinstance(pattern, dict):
        return {key: masked(value, pattern.get(key)) for key, value in message.items()}
    if isinstance(message, list) and isinstance(pattern, list):
        return [masked(value, each) for value, each in zip(message, pattern, strict=False)] + message[len(pattern) :]
    return message


def test_the_session_goes_as_it_is_written() -> None:
    with subprocess.Popen(PORT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as port:
        assert port.stdin is not None and port.stdout is not None
        for sent, expected in turns():
            for message in sent:
                port.stdin.write(json.dumps(message).encode() + b"\n")
            port.stdin.flush()
            for message in expected_any_order(port.stdout, expected):
                assert message in expected, f"the port sent {message}, which is not in the text"
        assert port.wait(SECONDS) == 0


def expected_any_order(stdout: Any, expected: list[Message]) -> list[Message]:
    """As many messages as are expected, each with the stars of the one that it is like."""
    came = [json.loads(stdout.readline()) for _ in expected]
    return [next((masked(each, one) for one in expected if masked(each, one) == one), each) for each in came]
