"""What edits are made of: one record removed, doubled, inserted or changed, and the rest counted anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from agent_run_tck.index import taxonomy
from agent_run_tck.streams.consumer import TERMINALS
from agent_run_tck.streams.grammar import State

Event = dict[str, Any]
Made = tuple[str, Callable[[], list[Event]]]
"""What is edited, and the edit."""
Found = Iterator[Made]
ROUND_STARTS = ("round-started", "attempt-started")


@frozen
class Stream:
    """A valid stream, with the state of the grammar before each record and after the last."""

    events: list[Event]
    states: list[State]

    def places(self) -> Iterator[tuple[int, State]]:
        """Every place before a record, and the state there."""
        yield from zip(range(len(self.events)), self.states, strict=False)

    def round_before(self, at: int) -> int:
        """The round of the stream there, 0 before the first."""
        rounds = [event["round"] for event in self.events[:at] if event["kind"] in ROUND_STARTS]
        return int(rounds[-1]) if rounds else 0

    def rest_of_round(self, at: int) -> list[Event]:
        """The records after this one up to the next round or the terminal, that one not counted."""
        later, round = self.events[at + 1 : -1], self.round_before(at + 1)
        rises = (place for place, event in enumerate(later) if event["kind"] in ROUND_STARTS and event["round"] > round)
        return later[: next(rises, len(later))]

    def next_of_call(self, at: int) -> str:
        """The kind of the next record of the same call."""
        id = self.events[at]["id"]
        return str(next(event["kind"] for event in self.events[at + 1 :] if event.get("id") == id))

    def next_of_op(self, at: int) -> str:
        """The kind of the next record of the same operation, by its id."""
        op = self.events[at]["op-id"]
        return next((event["kind"] for event in self.events[at + 1 :] if event.get("op-id") == op), "")

    def wrappers(self) -> Iterator[tuple[int, list[int]]]:
        """Each subagent, with the later ones of the same child."""
        places = of_kind(self, "subagent")
        for at in places:
            agent = self.events[at]["agent-id"]
            yield at, [later for later in places if later > at and self.events[later]["agent-id"] == agent]

    def keys_with(self, wanted: Callable[[Mapping[str, Any]], bool]) -> Iterator[tuple[int, str, str]]:
        """The place, kind and name of every key that is there and whose field in the taxonomy is wanted."""
        for at, event in enumerate(self.events):
            for field in taxonomy()[event["kind"]]["fields"]:
                if field["name"] in event and wanted(field):
                    yield at, event["kind"], field["name"]


Edit = Callable[[Stream], Found]


def of_kind(stream: Stream, *kinds: str) -> list[int]:
    """The places of the records of these kinds."""
    return [at for at, event in enumerate(stream.events) if event["kind"] in kinds]


def _counted(events: Sequence[Event]) -> list[Event]:
    return [{**event, "seq": seq} for seq, event in enumerate(events)]


def changed(stream: Stream, at: int, **keys: Any) -> Made:
    """The record with other values."""
    kind = stream.events[at]["kind"]
    what = f"{', '.join(keys)} of the {kind} at {at} becomes {', '.join(map(repr, keys.values()))}"
    return what, lambda: [*stream.events[:at], {**stream.events[at], **keys}, *stream.events[at + 1 :]]


def without_key(stream: Stream, at: int, key: str) -> Made:
    """The record without a key."""
    event = {name: value for name, value in stream.events[at].items() if name != key}
    return (
        f"the {event['kind']} at {at} loses {key}",
        lambda: [*stream.events[:at], event, *stream.events[at + 1 :]],
    )


def removed(stream: Stream, at: int) -> Made:
    """The stream without the record."""
    kind = stream.events[at]["kind"]
    return f"the {kind} at {at} is left out", lambda: _counted(stream.events[:at] + stream.events[at + 1 :])


def doubled(stream: Stream, at: int) -> Made:
    """The stream with the record twice."""
    kind = stream.events[at]["kind"]
    return f"the {kind} at {at} comes twice", lambda: _counted(stream.events[: at + 1] + stream.events[at:])


def inserted(stream: Stream, at: int, kind: str, payload: Mapping[str, Any]) -> Made:
    """The stream with one more record before the one at this place."""
    like = stream.events[min(at, len(stream.events) - 1)]
    event = {"kind": kind, "ts": like["ts"], "run-id": like["run-id"], "seq": at, **payload}
    return f"a {kind} comes before {at}", lambda: _counted([*stream.events[:at], event, *stream.events[at:]])


def cut(stream: Stream, at: int) -> Made:
    """The stream up to this place."""
    return f"nothing comes from {at} on", lambda: stream.events[:at]


def whole_children(events: Sequence[Event]) -> list[list[int]]:
    """The places of the wrappers of each child that has ended and was not restarted."""
    runs: dict[tuple[str, str], list[int]] = {}
    for at, event in enumerate(events):
        if event["kind"] == "subagent":
            runs.setdefault((event["agent-id"], event["inner"]["run-id"]), []).append(at)
    agents = Counter(agent for agent, _ in runs)
    return [
        places
        for (agent, _), places in runs.items()
        if agents[agent] == 1 and events[places[-1]]["inner"]["kind"] in TERMINALS
    ]


def rewrapped(events: Sequence[Event], places: Sequence[int], inner: Sequence[Event]) -> list[Event]:
    """The stream with these records in the wrappers at these places; what is over follows the last of them."""
    wrappers = [events[at] for at in places] + [events[places[-1]]] * (len(inner) - len(places))
    made = [{**wrapper, "inner": record} for wrapper, record in zip(wrappers, inner, strict=False)]
    found: list[Event] = []
    for at, event in enumerate(events):
        if at not in places:
            found.append(event)
        elif at == places[-1]:
            found += made[len(places) - 1 :]
        elif places.index(at) < len(made):
            found.append(made[places.index(at)])
    return _counted(found)
