"""The tables of protocol.md, made from the schemas of its messages: `python spec/tools.py protocol` writes them."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Schema = Mapping[str, Any]


class Schemas:
    """The schema files of a folder, by title; those of messages have a request or a notification."""

    def __init__(self, folder: Path) -> None:
        paths = sorted(folder.glob("*.json"))
        self._by_name = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in paths}
        self.common: Schema = self._by_name["common"]["$defs"]
        self.operations = self._having("request")
        self.notifications = self._having("notification")

    def _having(self, part: str) -> dict[str, Schema]:
        return {name: file for name, file in self._by_name.items() if part in file.get("$defs", {})}

    def resolved(self, schema: Schema) -> Schema:
        """The schema itself in the place of a reference to a common one; what stands beside the reference wins."""
        prefix = "common.json#/$defs/"
        reference = str(schema.get("$ref", ""))
        return {**self.common[reference.removeprefix(prefix)], **schema} if reference.startswith(prefix) else schema


# Hello and bye frame a conversation; in between, as in the life of a run.
ORDER = (
    "hello", "create", "emit", "finish", "work_begin", "work_done", "cancel", "tap", "close_tap", "then", "wait",
    "observe", "open_gate", "parallel", "plain", "render", "forget", "bye",
    "handed", "done", "quit", "called", "waiting", "returned",
)  # fmt: skip

PARTS = ("event", "script", "state")


def in_order(messages: Mapping[str, Schema]) -> list[tuple[str, Schema]]:
    return sorted(messages.items(), key=lambda item: ORDER.index(item[0]))


def messages(schemas: Schemas) -> str:
    """The section of operations and notifications, and of the parts that they have in common."""
    lines = ["", "Fields in *italics* may be left out.", ""]
    for name, file in in_order(schemas.operations):
        definitions = file["$defs"]
        lines += [f'### <a id="op-{name}"></a>`{name}`', "", file["description"], ""]
        lines += _table(schemas, definitions["request"], "field of the request", ("id", "op"))
        lines += _reply(schemas, schemas.resolved(definitions["reply"]["properties"]["ok"]))
    for name, file in in_order(schemas.notifications):
        lines += [f'### <a id="note-{name}"></a>Notification `{name}`', "", file["description"], ""]
        lines += _table(schemas, file["$defs"]["notification"], "field", ("note",))
    lines += ["### Parts of messages", ""]
    for name in PARTS:
        lines += [f'<a id="part-{name}"></a>**{name}**: {schemas.common[name].get("description", "")}', ""]
        lines += _table(schemas, schemas.common[name], "field", ())
    return "\n".join(lines)


def errors(schemas: Schemas) -> str:
    code = schemas.common["error"]["properties"]["code"]
    rows = [f"| `{each['const']}` | {each['description']} |" for each in code["oneOf"]]
    return "\n".join(["", "| code | when |", "|---|---|", *rows, ""])


def _table(schemas: Schemas, schema: Schema, title: str, left_out: tuple[str, ...]) -> list[str]:
    fields = {name: field for name, field in schema["properties"].items() if name not in left_out}
    if not fields:
        return []
    rows = list(_rows(schemas, fields, schema.get("required", ()), ""))
    return [f"| {title} | type | what it is |", "|---|---|---|", *rows, ""]


def _rows(schemas: Schemas, fields: Mapping[str, Schema], required: tuple[str, ...], prefix: str) -> Iterator[str]:
    for name, given in fields.items():
        field = schemas.resolved(given)
        label = f"`{prefix}{name}`" if name in required else f"*`{prefix}{name}`*"
        text = given.get("description", "") if _part(given) in PARTS else field.get("description", "")
        yield f"| {label} | {_type(schemas, given)} | {text} |"
        inner = field.get("items", field)
        if "$ref" not in given and "properties" in inner:
            yield from _rows(schemas, inner["properties"], inner.get("required", ()), f"{prefix}{name}.")


def _type(schemas: Schemas, given: Schema) -> str:
    field, part = schemas.resolved(given), _part(given)
    if part in PARTS:
        return f"[{part}](#part-{part})"
    if part in ("error", "step", "operation", "plain"):
        return {"plain": "plain form"}.get(part, part)
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    if "enum" in field:
        return " or ".join(f"`{value}`" for value in field["enum"])
    if field.get("type") == "array":
        return f"list of {_type(schemas, field['items'])}" if "items" in field else "list"
    return _spoken(field.get("type", "any"))


def _part(given: Schema) -> str:
    return str(given.get("$ref", "")).rpartition("/")[2]


def _spoken(kind: str | list[str]) -> str:
    return kind if isinstance(kind, str) else " or ".join(kind)


def _reply(schemas: Schemas, ok: Schema) -> list[str]:
    if ok.get("type") == "null":
        return ["Reply: `null`.", ""]
    lines = [f"Reply: {ok.get('description', '')}", ""]
    item = ok
    while item.get("type") == "array":
        item = item["items"]
    return lines + (_table(schemas, item, "field of the reply", ()) if "properties" in item else [])


def between_markers(text: str, marker: str, made: str) -> str:
    """The text with what is made in the place of what stands between the comments of this name."""
    before, start, rest = text.partition(f"<!-- {marker}:")
    head, end, _ = rest.partition("-->")
    _, close, after = rest.partition(f"<!-- end of {marker} -->")
    assert all((start, end, close)), f"protocol.md lacks the markers of {marker}"
    return f"{before}{start}{head}{end}\n{made}\n{close}{after}"


def with_tables(text: str, folder: Path) -> str:
    schemas = Schemas(folder)
    return between_markers(between_markers(text, "messages", messages(schemas)), "errors", errors(schemas))
