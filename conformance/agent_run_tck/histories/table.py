"""A history as a table of thread and call, in time order, for people."""

from collections.abc import Iterator, Mapping
from typing import Any

from agent_run_tck.histories.explain import called, words
from agent_run_tck.histories.history import History
from agent_run_tck.recording import Record

RUN = "callbacks"
MOST_ROWS = 40
WIDEST = 38


def table(history: History, last: int) -> str:
    """The records up to `last`, which is marked; a call that returns at once has one line. In `n` is the number that
    the record has in its file."""
    rows = list(_rows(history, last))
    cut = [f"  ... {len(rows) - MOST_ROWS} lines before"] if len(rows) > MOST_ROWS else []
    rows = rows[-MOST_ROWS:]
    columns = sorted({row[1] for row in rows}, key=_place)
    widths = [max(len(name), *(len(row[2]) for row in rows if row[1] == name)) for name in columns]
    lines = [_line(" ", "n", dict(zip(columns, columns, strict=True)), columns, widths), *cut]
    for at, (number, column, text) in enumerate(rows):
        lines.append(_line(">" if at == len(rows) - 1 else " ", str(number), {column: text}, columns, widths))
    return "\n".join(lines)


def _place(column: str) -> tuple[int, str]:
    """Threads by their names; what was called before and after a program, and the callbacks, where they belong."""
    return {"before": 0, "after": 2, RUN: 3}.get(column, 1), column


def _line(mark: str, number: str, texts: Mapping[str, str], columns: list[str], widths: list[int]) -> str:
    cells = (texts.get(name, "").ljust(width) for name, width in zip(columns, widths, strict=True))
    return f"{mark} {number:>4}  {'  '.join(cells)}".rstrip()


def _rows(history: History, last: int) -> Iterator[tuple[int, str, str]]:
    """The number, the column and the text of each line."""
    merged = False
    for at in range(last + 1):
        record = history.records[at]
        following = history.records[at + 1] if at < last else {}
        if merged:
            merged = False
        elif "call" in record:
            merged = following.get("return") == record["id"]
            call = history.calls[record["id"]]
            yield record["n"], record["thread"], f"{called(call)} {_reply(following) if merged else '...'}"
        elif "return" in record:
            yield record["n"], record["thread"], f"... {called(history.calls[record['return']])} {_reply(record)}"
        elif "let_go" not in record or at == last:
            yield record["n"], RUN, _seen(record)


def _reply(record: Record) -> str:
    error = record.get("error") if record["reply"] == "refused" else None
    text = f"-> {words(record['reply'])}" + (f", {error}" if error else "")
    return text if len(text) <= WIDEST else f"{text[:WIDEST]}..."


def _seen(record: Mapping[str, Any]) -> str:
    match record:
        case {"handed": seq}:
            return f"tap {record['tap']}: seq {seq}"
        case {"let_go": seq}:
            return f"tap {record['tap']}: callback for seq {seq} ends"
        case {"done": _}:
            return f"tap {record['tap']}: done"
        case {"quit": error}:
            return f"tap {record['tap']}: quit {error}"
        case {"hook": "called"}:
            return f"hook is called on {record['thread']}"
        case {"hook": _}:
            return "hook returns"
        case {"kept": name}:
            return f"{name} is kept: {words(record['value'])}"
    return "nothing more comes"
