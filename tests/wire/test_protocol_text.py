"""The text of the protocol says what is so: its tables are those of the schemas, its session goes as it is written."""

import json
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_run_tck.wire.faults import Fault
from agent_run_tck.wire.schemas import Schemas

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
        assert port.stdin is not None
        assert port.stdout is not None
        for sent, expected in turns():
            for message in sent:
                port.stdin.write(json.dumps(message).encode() + b"\n")
            port.stdin.flush()
            left = expected.copy()
            for _ in expected:
                message = json.loads(port.stdout.readline())
                like = [each for each in left if masked(message, each) == each]
                assert like, f"the port sent {message}; the text has {left}"
                left.remove(like[0])
        assert port.wait(SECONDS) == 0


def test_the_tables_are_those_of_the_schemas() -> None:
    with_tables = runpy.run_path(str(SPEC / "protocol_tables.py"))["with_tables"]
    assert with_tables(TEXT, SPEC / "schemas") == TEXT, "run: python spec/tools.py protocol"


def test_every_message_and_every_error_is_in_the_text() -> None:
    schemas = Schemas(SPEC / "schemas")
    codes = [each["const"] for each in common()["error"]["properties"]["code"]["oneOf"]]
    wanted = [*schemas.requests, *(f"Notification `{note}`" for note in schemas.notifications), *codes]
    assert [each for each in wanted if each not in TEXT] == []
    assert schemas.requests.keys() == schemas.replies.keys()


def test_every_verdict_on_a_port_is_in_the_text() -> None:
    verdicts = {fault.verdict for fault in (Fault, *Fault.__subclasses__())}
    assert len(verdicts) > 5
    assert [verdict for verdict in verdicts if f"| {verdict} |" not in TEXT] == []


def common() -> Message:
    definitions: Message = json.loads((SPEC / "schemas" / "common.json").read_text())["$defs"]
    return definitions


def described(schema: Any, where: str) -> Iterator[str]:
    """The fields of messages that have no prose."""
    if isinstance(schema, dict):
        for name, field in schema.get("properties", {}).items():
            if not {"description", "$ref", "const"} & field.keys():
                yield f"{where}.{name}"
        for key, value in schema.items():
            yield from described(value, f"{where}.{key}")


@pytest.mark.parametrize("path", sorted((SPEC / "schemas").glob("*.json")), ids=lambda path: path.stem)
def test_every_field_of_a_message_has_prose(path: Path) -> None:
    schema = json.loads(path.read_text())
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "description" in schema
    if path.stem != "event":  # that one is made from the taxonomy
        assert list(described(schema["$defs"], path.stem)) == []
