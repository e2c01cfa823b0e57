"""Makes what the specification has from its sources.

`python spec/tools.py table` writes TRACE.md from requirements.toml; `python spec/tools.py events` writes the tables
of events.md and schemas/event.json from events.toml; `python spec/tools.py protocol` writes the tables of protocol.md
from the schemas of its messages.
"""

import argparse
import json
import re
import runpy
import sys
import tomllib
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

SPEC = Path(__file__).parent

Row = Mapping[str, Any]

INTRODUCTION = """\
# Trace: every requirement, its check and its model

Made by `python spec/tools.py table` from [requirements.toml](requirements.toml); not edited by hand.
*Where* is the file of the conformance kit that checks it: on an implementation, or on transcripts.
*Model* names definitions in `tla/`, or says why there are none.
"""


def where(row: Row) -> str:
    return f"`{row.get('suite') or row['lint']}`"


def model(row: Row) -> str:
    if "model" in row:
        return ", ".join(f"`{name}`" for name in row["model"])
    return f"none: {row['unmodelled']}"


def page(row: Row) -> str:
    """Where the normative text of a requirement stands."""
    family = row["id"].rpartition("-")[0].lower()
    return {"run": f"run/{family}.md", "events": "events.md"}.get(row["profile"], "streams.md")


def anchored_id(row: Row) -> str:
    """The id as an anchor, linked to its normative text."""
    anchor = row["id"].lower()
    return f'<a id="{anchor}"></a>[{row["id"]}]({page(row)}#{anchor})'


def sections(rows: list[Row]) -> Iterator[str]:
    for profile, members in groupby(rows, key=lambda row: row["profile"]):
        yield f"\n## Profile {profile}\n\n| id | title | sureness | where | model |\n|---|---|---|---|---|\n"
        for row in members:
            cells = (anchored_id(row), row["title"], row["sureness"], where(row), model(row))
            yield f"| {' | '.join(cells)} |\n"


def table(index: Mapping[str, Any]) -> str:
    rows = index["requirement"]
    suite = sum("suite" in row for row in rows)
    modelled = sum("model" in row for row in rows)
    counts = (
        f"\n{len(rows)} requirements: {suite} are checked on implementations, {len(rows) - suite} on transcripts; "
        f"{modelled} are modelled.\n"
    )
    return INTRODUCTION + counts + "".join(sections(rows))


PRESENCE = {"required": "!", "optional": "?", "always": "="}


def shown_field(field: Row) -> str:
    """A field as the table of kinds has it: `usage`= object {}."""
    omitted = "∅" if field.get("empty") == "omitted" else ""
    default = f" `{json.dumps(field['default'])}`" if "default" in field else ""
    return f"`{field['name']}`{PRESENCE[field['presence']]}{omitted} {field['type']}{default}{shown_values(field)}"


def shown_values(field: Row) -> str:
    if "values" not in field:
        return ""
    values = ", ".join(f"`{value}`" for value in field["values"])
    return f" {{{values}}}" if field["closed"] else f" [{values}]"


def envelope_table(source: Row) -> str:
    rows = "".join(
        f"| `{field['name']}` | {field['type']} | {field['presence']} | {field['about']} |\n"
        for field in source["envelope"]
    )
    return f"| key | type | of | what it is |\n|---|---|---|---|\n{rows}"


def kinds_table(source: Row) -> str:
    rows = "".join(
        f"| `{event['kind']}` | {'; '.join(map(shown_field, event['fields']))} | {event['about']} |\n"
        for event in source["event"]
    )
    return f"| kind | fields | what happened |\n|---|---|---|\n{rows}"


TABLES = {"envelope": envelope_table, "kinds": kinds_table}
BETWEEN_MARKS = re.compile(r"(<!-- made by python spec/tools\.py events: (\w+) -->\n).*?(<!-- end -->\n)", re.DOTALL)


def with_tables(text: str, source: Row) -> str:
    """The text of a page with every table between its marks made anew."""
    return BETWEEN_MARKS.sub(lambda mark: mark[1] + TABLES[mark[2]](source) + mark[3], text)


DATE = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
TIME = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
TYPES: Mapping[str, Row] = {
    "message object": {"type": "object"},
    "string or object": {"type": ["string", "object"]},
    "any": {"not": {"type": "null"}},
}
ENVELOPE: Mapping[str, Row] = {"ts": {"pattern": f"^{DATE}T{TIME}\\.[0-9]{{6}}Z$"}, "seq": {"minimum": 0}}


def field_schema(field: Row) -> dict[str, Any]:
    schema = dict(TYPES.get(field["type"], {"type": field["type"]}))
    if "values" in field:
        schema["enum" if field["closed"] else "examples"] = field["values"]
    if field.get("empty") == "omitted":
        schema["minProperties"] = 1
    if "default" in field:
        schema["default"] = field["default"]
    return schema


def kind_schema(event: Row) -> dict[str, Any]:
    return {
        "description": event["about"],
        "properties": {field["name"]: field_schema(field) for field in event["fields"]},
        "required": [field["name"] for field in event["fields"] if field["presence"] != "optional"],
    }


def event_schema(source: Row) -> dict[str, Any]:
    """The plain form of an event; `#/$defs/record` is that of a published one. What is unknown is allowed."""
    kinds = [event["kind"] for event in source["event"]]
    envelope = {
        field["name"]: {"description": field["about"], "type": field["type"], **ENVELOPE.get(field["name"], {})}
        for field in source["envelope"]
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The plain form of an event",
        "description": "Made by python spec/tools.py events from events.toml. "
        "Unknown keys and kinds are allowed: they are how a later version looks to an earlier reader.",
        "type": "object",
        "properties": envelope,
        "required": [field["name"] for field in source["envelope"] if field["presence"] == "every event"],
        "dependentRequired": {"run-id": ["seq"], "seq": ["run-id"]},
        "allOf": [
            {
                "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
                "then": {"$ref": f"#/$defs/{kind}"},
            }
            for kind in kinds
        ],
        "$defs": {
            "record": {"description": "Of a published event.", "$ref": "#", "required": ["run-id", "seq"]},
            **{event["kind"]: kind_schema(event) for event in source["event"]},
        },
    }


def schema_text(source: Row) -> str:
    return json.dumps(event_schema(source), indent=2, ensure_ascii=False) + "\n"


def read_source(path: Path) -> Mapping[str, Any]:
    """The source at `path`. Ends the program with one sentence when there is none that can be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        sys.exit(f"cannot read {path}: {error.strerror}; run this from a checkout that has the folder spec/")
    except tomllib.TOMLDecodeError as error:
        sys.exit(f"{path} is not valid TOML: {error}; mend it and run this again")


def write(name: str, text: str) -> None:
    target = SPEC / name
    target.parent.mkdir(exist_ok=True)
    target.write_text(text, encoding="utf-8")
    print(f"wrote {name}")


def write_table() -> None:
    write("TRACE.md", table(read_source(SPEC / "requirements.toml")))


def write_events() -> None:
    source = read_source(SPEC / "events.toml")
    write("events.md", with_tables((SPEC / "events.md").read_text(encoding="utf-8"), source))
    write("schemas/event.json", schema_text(source))


def write_protocol() -> None:
    with_protocol_tables = runpy.run_path(str(SPEC / "protocol_tables.py"))["with_tables"]
    write("protocol.md", with_protocol_tables((SPEC / "protocol.md").read_text(encoding="utf-8"), SPEC / "schemas"))


COMMANDS = {"table": write_table, "events": write_events, "protocol": write_protocol}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python spec/tools.py", description="Make tables and schema from their sources."
    )
    chosen = parser.add_argument("command", choices=COMMANDS)
    chosen.help = (
        "table: write TRACE.md; events: write the tables of events.md and schemas/event.json; "
        "protocol: write the tables of protocol.md"
    )
    COMMANDS[parser.parse_args(arguments).command]()


if __name__ == "__main__":
    main()
