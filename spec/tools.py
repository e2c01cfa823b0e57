"""Keeps the table of the specification: `python spec/tools.py table` writes TRACE.md from requirements.toml."""

import argparse
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
*Where* is a file of the conformance kit, or what the check waits for.
*Model* names definitions in `tla/`, or says why there are none.
"""


def where(row: Row) -> str:
    return f"`{row['suite']}`" if "suite" in row else f"later: {row['later']}"


def model(row: Row) -> str:
    if "model" in row:
        return ", ".join(f"`{name}`" for name in row["model"])
    return f"none: {row['unmodelled']}"


def anchored_id(row: Row) -> str:
    """The id as an anchor, linked to its normative text where that is written."""
    family = row["id"].rpartition("-")[0].lower()
    anchor = row["id"].lower()
    text = f"[{row['id']}](run/{family}.md#{anchor})" if row["profile"] == "run" else row["id"]
    return f'<a id="{anchor}"></a>{text}'


def sections(rows: list[Row]) -> Iterator[str]:
    for profile, members in groupby(rows, key=lambda row: row["profile"]):
        yield f"\n## Profile {profile}\n\n| id | title | sureness | where | model |\n|---|---|---|---|---|\n"
        for row in members:
            cells = (anchored_id(row), row["title"], row["sureness"], where(row), model(row))
            yield f"| {' | '.join(cells)} |\n"


def table(index: Mapping[str, Any]) -> str:
    rows = index["requirement"]
    checked = sum("suite" in row for row in rows)
    modelled = sum("model" in row for row in rows)
    counts = (
        f"\n{len(rows)} requirements: {checked} are checked, {len(rows) - checked} later; {modelled} are modelled.\n"
    )
    return INTRODUCTION + counts + "".join(sections(rows))


def read_index(path: Path) -> Mapping[str, Any]:
    """The index at `path`. Ends the program with one sentence when there is none that can be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        sys.exit(f"cannot read {path}: {error.strerror}; run this from a checkout that has the folder spec/")
    except tomllib.TOMLDecodeError as error:
        sys.exit(f"{path} is not valid TOML: {error}; mend it and run this again")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python spec/tools.py", description=__doc__)
    parser.add_argument("command", choices=["table"], help="table: write TRACE.md anew")
    parser.parse_args(arguments)
    target = SPEC / "TRACE.md"
    target.write_text(table(read_index(SPEC / "requirements.toml")), encoding="utf-8")
    print(f"wrote {target.name}")


if __name__ == "__main__":
    main()
