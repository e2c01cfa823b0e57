"""Breaks good recordings, each by one small edit: `python tla/break_traces.py` writes traces/broken/ anew.

An edit returns the record that the contract does not allow any more, and so the line at which TLC has to reject it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
GOOD = HERE / "traces" / "good"
BROKEN = HERE / "traces" / "broken"
TABLE = HERE / "traces" / "broken.toml"
Record = dict[str, Any]


class Story:
    """The records of a recording between its header and what they are numbered by."""

    def __init__(self, name: str) -> None:
        lines = (GOOD / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        self.header, *self.records = [json.loads(line) for line in lines]

    def all(self, **fields: Any) -> list[Record]:
        """The records that have these fields."""
        return [one for one in self.records if all(name in one and one[name] == fields[name] for name in fields)]

    def one(self, at: int = 0, **fields: Any) -> Record:
        """The first record with these fields, or another of them."""
        return self.all(**fields)[at]

    def returned(self, at: int = 0, **fields: Any) -> Record:
        """The return of the first call with these fields, or of another of them."""
        return self.one(**{"return": self.one(at, **fields)["id"]})

    def place(self, record: Record) -> int:
        return next(at for at, one in enumerate(self.records) if one is record)

    def remove(self, *records: Record) -> None:
        for record in records:
            del self.records[self.place(record)]

    def insert(self, record: Record, *new: Record) -> None:
        """Put new records right after one."""
        self.records[self.place(record) + 1 : self.place(record) + 1] = new

    def move(self, record: Record, after: Record) -> Record:
        self.remove(record)
        self.insert(after, record)
        return record

    def text(self) -> str:
        """The file, with its records numbered anew."""
        records = [{**record, "n": number} for number, record in enumerate(self.records, 1)]
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in [self.header, *records])


@dataclass(frozen=True)
class Edit:
    """One way to break a recording: what the requirement forbids, and the recording that it is done to."""

    base: str
    requirement: str
    about: str
    apply: Callable[[Story], Record]

    @property
    def name(self) -> str:
        return self.apply.__name__

    def broken(self) -> tuple[str, int]:
        """The text of the broken file, and the line at which it has to be rejected."""
        story = Story(self.base)
        forbidden = self.apply(story)
        return story.text(), story.place(forbidden) + 2


EDITS: list[Edit] = []


def edit(base: str, requirement: str, about: str) -> Callable[[Callable[[Story], Record]], Callable[[Story], Record]]:
    """Enter a function into the list of edits."""

    def enter(apply: Callable[[Story], Record]) -> Callable[[Story], Record]:
        EDITS.append(Edit(base, requirement, about, apply))
        return apply

    return enter


ENDED = "a_run_ends_before_it_is_cancelled-reference"
THROWN = "callbacks_throw-reference"
SECTIONS = "sections_race_finish-reference"
HOOK = "the_hook_outlasts_the_run-reference"
CLOSED = "a_tap_closes-reference"
CANCELS = "cancels_race_finish-reference"
EMITTERS = "emitters_race_finish-asyncio"
WRONG = "wrong_events_are_refused-asyncio"


# --- events and taps --------------------------------------------------------------------------------------


@edit(EMITTERS, "STREAM-7", "a tap is not handed seq 1")
def a_gap(story: Story) -> Record:
    story.remove(story.one(tap=1, handed=1), story.one(tap=1, let_go=1))
    return story.one(tap=1, handed=2)


@edit(EMITTERS, "STREAM-7", "a tap is handed seq 1 twice")
def a_double(story: Story) -> Record:
    again, gone = dict(story.one(tap=1, handed=1)), dict(story.one(tap=1, let_go=1))
    story.insert(story.one(tap=1, let_go=1), again, gone)
    return again


@edit(EMITTERS, "EMIT-9", "the same emit is handed over with two seqs")
def one_emit_two_events(story: Story) -> Record:
    second = story.one(tap=1, handed=2)
    second["of"] = story.one(tap=1, handed=1)["of"]
    return second


@edit(EMITTERS, "EMIT-9", "an event is handed over that nobody emitted")
def an_event_of_nobody(story: Story) -> Record:
    record = story.one(tap=1, handed=1)
    record["of"] = None
    return record


@edit(EMITTERS, "EMIT-2", "an event is handed over without a seq")
def an_event_without_a_seq(story: Story) -> Record:
    record = story.one(tap=1, handed=1)
    record["handed"] = story.one(tap=1, let_go=1)["let_go"] = None
    return record


@edit(ENDED, "EMIT-11", "of two emits, one after the other, the second has the smaller seq")
def order_against_time(story: Story) -> Record:
    first, second = story.one(handed=0), story.one(handed=1)
    first["of"], second["of"] = second["of"], first["of"]
    return first


@edit(ENDED, "STREAM-6", "the terminal is not the last event")
def an_event_after_the_terminal(story: Story) -> Record:
    event, terminal = story.one(handed=1), story.one(handed=2)
    event["of"], terminal["of"] = terminal["of"], event["of"]
    return event


@edit(ENDED, "STREAM-4", "done comes before the terminal")
def done_too_early(story: Story) -> Record:
    return story.move(story.one(done=True), story.one(let_go=1))


@edit(ENDED, "STREAM-4", "a tap is handed the terminal again after done")
def a_delivery_after_done(story: Story) -> Record:
    again, gone = dict(story.one(handed=2)), dict(story.one(let_go=2))
    story.insert(story.one(done=True), again, gone)
    return again


@edit(ENDED, "STREAM-4", "done does not come, though the recorder waited")
def done_is_lost(story: Story) -> Record:
    story.remove(story.one(done=True))
    return story.one(end=True)


@edit(ENDED, "STREAM-5", "the stream ends in an error")
def a_quit(story: Story) -> Record:
    record = story.one(done=True)
    del record["done"]
    record["quit"] = "RuntimeError()"
    return record


@edit(THROWN, "STREAM-11", "a tap is handed an event while its callback has the one before")
def two_callbacks_at_once(story: Story) -> Record:
    second = story.one(tap=1, handed=1)
    story.move(story.one(tap=1, let_go=0), second)
    return second


@edit(CLOSED, "STREAM-16", "a tap is handed an event that was emitted after its close")
def a_delivery_after_close(story: Story) -> Record:
    late, gone = ({**story.one(**{"tap": 2, what: 2}), "tap": 1} for what in ("handed", "let_go"))
    story.insert(story.one(tap=2, let_go=2), late, gone)
    return late


@edit("taps_come_and_close-reference", "STREAM-3", "a tap that came when all was over is handed the first event")
def a_replay_to_a_late_tap(story: Story) -> Record:
    call = story.one(-1, call="tap")
    late, gone = ({**story.one(**{"tap": 1, what: 0}), "tap": call["tap"]} for what in ("handed", "let_go"))
    story.insert(story.one(**{"return": call["id"]}), late, gone)
    return late


@edit(CLOSED, "STREAM-2", "a second tap is handed what was published before it came")
def a_replay_to_the_second_tap(story: Story) -> Record:
    call, back = story.one(call="tap", tap=2), story.returned(call="tap", tap=2)
    published = story.one(tap=1, let_go=1)
    late = [record for record in story.all(tap=2) if record.get("handed") in (0, 1) or record.get("let_go") in (0, 1)]
    for record in [*reversed(late), back, call]:
        story.move(record, published)
    return late[0]


# --- emit and finish --------------------------------------------------------------------------------------


@edit(ENDED, "FINISH-3", "emit replies true though the run is done")
def accepted_after_the_end(story: Story) -> Record:
    record = story.returned(-1, call="emit")
    record["reply"] = True
    return record


@edit(ENDED, "EMIT-10", "emit replies false though nobody has called finish")
def refused_while_open(story: Story) -> Record:
    record = story.returned(call="emit")
    record["reply"] = False
    return record


@edit(WRONG, "EMIT-3", "emit accepts a terminal")
def a_terminal_is_emitted(story: Story) -> Record:
    record = story.returned(call="emit", kind="run-completed")
    record["reply"] = True
    return record


@edit(WRONG, "FINISH-2", "finish accepts an event that is not terminal")
def a_log_ends_the_run(story: Story) -> Record:
    record = story.returned(call="finish", kind="log")
    record["reply"] = True
    return record


@edit(ENDED, "FINISH-1", "two finishes reply true")
def two_finishes_win(story: Story) -> Record:
    record = story.returned(-1, call="finish")
    record["reply"] = True
    return record


@edit(ENDED, "FINISH-4", "the result has the outcome of a finish that lost")
def the_result_of_another_finish(story: Story) -> Record:
    record = story.one(kept="result")
    record["value"] = "completed"
    return record


@edit(ENDED, "PROMISE-1", "a continuation of the result is called twice")
def a_continuation_called_twice(story: Story) -> Record:
    again = dict(story.one(kept="result"))
    story.insert(story.one(kept="result"), again)
    return again


@edit(ENDED, "IDENT-2", "is_done goes back to false")
def is_done_goes_back(story: Story) -> Record:
    record = story.returned(-1, call="is_done")
    record["reply"] = False
    return record


# --- cancel -----------------------------------------------------------------------------------------------


@edit(HOOK, "IDENT-3", "is_cancelled goes back to false")
def is_cancelled_goes_back(story: Story) -> Record:
    record = story.returned(-1, call="is_cancelled")
    record["reply"] = False
    return record


@edit(ENDED, "CANCEL-6", "is_cancelled is true though the run had ended before the cancel")
def cancelled_after_the_end(story: Story) -> Record:
    record = story.returned(-1, call="is_cancelled")
    record["reply"] = True
    return record


@edit(HOOK, "CANCEL-1", "the hook is called twice")
def two_hook_calls(story: Story) -> Record:
    again, gone = dict(story.one(hook="called")), dict(story.one(hook="returned"))
    story.insert(story.one(hook="returned"), again, gone)
    return again


@edit(ENDED, "CANCEL-6", "the hook is called by a cancel that came after the end")
def a_hook_after_the_end(story: Story) -> Record:
    call = story.one(call="cancel")
    called, gone = ({"n": 0, "thread": call["thread"], "hook": step} for step in ("called", "returned"))
    story.insert(call, called, gone)
    return called


@edit(CANCELS, "CANCEL-7", "the cancellation is not kept yet when the hook looks")
def the_hook_comes_first(story: Story) -> Record:
    hook = story.one(hook="called")
    calls = {one["id"] for one in story.records[story.place(hook) :] if one.get("call") == "is_cancelled"}
    record = next(one for one in story.all(thread=hook["thread"]) if one.get("return") in calls)
    record["reply"] = False
    return record


@edit(HOOK, "CANCEL-4", "the cancel that won returns before the hook does")
def a_cancel_that_does_not_wait(story: Story) -> Record:
    return story.move(story.returned(call="cancel"), story.one(kept="cancellation"))


@edit(HOOK, "CANCEL-4", "the hook is called on a thread that has called no cancel")
def a_hook_on_a_thread_of_its_own(story: Story) -> Record:
    for record in (story.one(hook="called"), story.one(hook="returned")):
        record["thread"] = "hooks"
    return story.one(hook="called")


# --- sections and drained ---------------------------------------------------------------------------------


@edit(SECTIONS, "DRAIN-3", "drained is seen kept with a section open")
def drained_with_a_section_open(story: Story) -> Record:
    story.remove(story.returned(call="work_done"), story.one(call="work_done"))
    looks = {one["id"] for one in story.all(call="drained")}
    kept = (one for one in story.records if one.get("return") in looks and one["reply"] == "kept")
    return min([story.one(kept="drained"), *kept], key=story.place)


@edit(THROWN, "DRAIN-1", "drained is kept while the run is open")
def drained_too_early(story: Story) -> Record:
    return story.move(story.one(kept="drained"), story.one(tap=1, let_go=0))


@edit(THROWN, "DRAIN-2", "drained is never kept, though the recorder waited")
def drained_is_forgotten(story: Story) -> Record:
    story.remove(story.one(kept="drained"))
    return story.one(end=True)


@edit(ENDED, "WORK-1", "a section is granted on a closed run")
def a_section_after_the_end(story: Story) -> Record:
    record = story.returned(call="work_begin")
    record["reply"] = True
    return record


@edit(SECTIONS, "WORK-4", "work_done replies")
def work_done_replies(story: Story) -> Record:
    record = story.returned(call="work_done")
    record["reply"] = True
    return record


# --- files ------------------------------------------------------------------------------------------------


def broken_files() -> Iterator[tuple[Edit, str, int]]:
    """Every edit with the text of its file and the line at which that has to be rejected."""
    for one in EDITS:
        text, line = one.broken()
        yield one, text, line


def table() -> str:
    """The list of broken recordings."""
    head = "# What python tla/break_traces.py wrote, and the line at which TLC has to reject it.\n"
    rows = (
        f'\n[[trace]]\nname = "{one.name}"\nof = "{one.base}"\nrequirement = "{one.requirement}"\n'
        f'about = "{one.about}"\nline = {line}\n'
        for one, _, line in broken_files()
    )
    return head + "".join(rows)


def main() -> None:
    """Write the files and their list."""
    BROKEN.mkdir(parents=True, exist_ok=True)
    for one, text, _ in broken_files():
        (BROKEN / f"{one.name}.jsonl").write_text(text, encoding="utf-8")
    TABLE.write_text(table(), encoding="utf-8")


if __name__ == "__main__":
    main()
