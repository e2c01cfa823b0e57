"""The schemas of the messages: every message is checked with its own, whichever way it goes."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import jsonschema_rs

BASE = "json-schema:///"
_CHECKOUT = Path(__file__).parents[3] / "spec"
Message = Mapping[str, Any]


class Breach(Exception):
    """A message that its schema does not allow; the text names the schema and the place in the message."""


class Schemas:
    """The validators of requests, replies and notifications, by operation or note. Any thread may use them."""

    def __init__(self, folder: Traversable) -> None:
        texts = {
            each.name: each.read_text(encoding="utf-8") for each in folder.iterdir() if each.name.endswith(".json")
        }
        read = {name: json.loads(text) for name, text in texts.items()}
        self._registry = jsonschema_rs.Registry([(BASE + name, schema) for name, schema in read.items()])
        self.requests = self._validators(read, "request")
        self.replies = self._validators(read, "reply")
        self.notifications = self._validators(read, "notification")

    def _validators(self, read: Mapping[str, Any], part: str) -> dict[str, jsonschema_rs.Draft202012Validator]:
        return {
            name.removesuffix(".json"): jsonschema_rs.Draft202012Validator(
                {"$ref": f"{BASE}{name}#/$defs/{part}"}, registry=self._registry
            )
            for name, schema in read.items()
            if part in schema.get("$defs", {})
        }


def check(validator: jsonschema_rs.Draft202012Validator, what: str, message: Message) -> None:
    """Raise Breach unless the message, called `what`, is as its schema wants it."""
    if not validator.is_valid(message):
        raise Breach(_first_breach(validator, what, message))


def _first_breach(validator: jsonschema_rs.Draft202012Validator, what: str, message: Message) -> str:
    error = next(iter(validator.iter_errors(message)))
    place = "".join(f"[{step!r}]" for step in error.instance_path) or "the whole message"
    return f"schema {what}, at {place}: {shortened(error.message)}"


def shortened(text: str, most: int = 200) -> str:
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"


@cache
def schemas() -> Schemas:
    packaged = files("agent_run_tck") / "spec" / "schemas"
    return Schemas(packaged if packaged.is_dir() else _CHECKOUT / "schemas")
