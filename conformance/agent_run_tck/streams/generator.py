"""Streams to test readers with: valid ones, and almost valid ones that are one edit away from it.

A stream is a list of records, plain forms as spec/streams.md reads them, with run-id, seq and ts; children are nested
in `subagent`.  The functions take a `random.Random`, or a seed and a size, and give the same for the same; the
strategies are for Hypothesis.  Nothing blocks; any thread may call anything that has a Random of its own.

    valid_stream(Random(7))                     a stream that keeps every rule of profile `stream`
    edited_stream(Random(7))                    (records, requirement, what was edited): breaks this requirement
    edited_stream(Random(7), "FRAME-2")         the same, for one of EDITED
    interleaved(Random(7), [stream, stream])    one transcript of several runs
    toured_streams("turns")                     valid streams that take every edge of a graph of the model
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Any

from hypothesis import strategies as st

from agent_run_tck.streams.edits import EDITED, Edited, edited
from agent_run_tck.streams.grammar import move_of
from agent_run_tck.streams.graph import Name, load
from agent_run_tck.streams.reading import accepts
from agent_run_tck.streams.tour import paths
from agent_run_tck.streams.writing import Event, Writer

__all__ = [
    "EDITED",
    "Edited",
    "Event",
    "edited_stream",
    "edited_streams",
    "interleaved",
    "streams_of_the_tours",
    "tour",
    "toured_stream",
    "toured_streams",
    "valid_stream",
    "valid_streams",
]

SIZES = (1, 60)
TRIES = 2000


def valid_stream(random: Random, size: int | None = None) -> list[Event]:
    """A stream of about `size` records, and those that it takes to end it."""
    writer = Writer(random, random.randint(*SIZES) if size is None else size)
    events = []
    while not writer.is_over:
        events.append(writer.next())
    return events


def edited_stream(random: Random, requirement: str | None = None) -> Edited:
    """A stream that one edit has made break the requirement, by default one of EDITED at random."""
    wanted = random.choice(EDITED) if requirement is None else requirement
    for _ in range(TRIES):
        made = edited(random, valid_stream(random), wanted)
        if made is not None and not accepts(made[0]):
            return made
    raise AssertionError(f"no stream of {TRIES} could be edited so that it breaks {wanted}")


def interleaved(random: Random, streams: Sequence[Sequence[Event]]) -> list[Event]:
    """The records of all streams in one transcript, those of each in their order."""
    turns = [number for number, stream in enumerate(streams) for _ in stream]
    random.shuffle(turns)
    left = [iter(stream) for stream in streams]
    return [next(left[number]) for number in turns]


@cache
def tour(name: Name) -> tuple[tuple[str, ...], ...]:
    """The labels of streams that between them take every edge of the graph; always the same ones."""
    return tuple(map(tuple, paths(load(name))))


def toured_stream(path: Sequence[str]) -> list[Event]:
    """The valid stream that takes these labels from its beginning to its end; always the same one."""
    writer = Writer(Random("/".join(path)), 0)
    return [event for label in path if label != "Over" for event in writer.write(move_of(label))]


def toured_streams(name: Name) -> Iterator[list[Event]]:
    """Valid streams that between them take every edge of the graph; always the same ones."""
    return map(toured_stream, tour(name))


_SEEDS = st.integers(min_value=0, max_value=2**32 - 1)


def valid_streams(max_size: int = SIZES[1]) -> st.SearchStrategy[list[Event]]:
    """Valid streams; a shorter one is simpler."""
    return st.builds(lambda size, seed: valid_stream(Random(seed), size), st.integers(1, max_size), _SEEDS)


def edited_streams(requirement: str | None = None) -> st.SearchStrategy[tuple[list[dict[str, Any]], str, str]]:
    """Edited streams with the requirement that each breaks and what was edited."""
    return st.builds(lambda seed: edited_stream(Random(seed), requirement), _SEEDS)


def streams_of_the_tours() -> st.SearchStrategy[list[Event]]:
    """The streams that take every edge of the graphs."""
    every = tour("turns") + tour("work")
    return st.sampled_from(sorted(every, key=len)).map(toured_stream)
