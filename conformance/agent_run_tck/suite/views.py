"""What the checks of consumers share: what must be shown after each record, and which rule a wrong view breaks."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, cast

from attrs import frozen
from hypothesis import HealthCheck, Phase, given, settings

from agent_run_tck.case import Case
from agent_run_tck.protocol import Consumer
from agent_run_tck.streams.consumer import CALL_KINDS, views
from agent_run_tck.streams.generator import Event, streams_of_the_tours, valid_streams

KEYS = ("conversation", "streaming", "calls", "ended")
NOT_THERE = "nothing: the key is missing"
# The rule that says what a record of this kind changes; any other may change nothing.
RULES: Mapping[str, str] = {
    "attempt-started": "VIEW-1",
    "token": "VIEW-1",
    "attempt-failed": "VIEW-2",
    "turn-discarded": "VIEW-3",
    "assistant-message": "VIEW-4",
    "subagent": "VIEW-6",
    **dict.fromkeys(CALL_KINDS, "VIEW-7"),
}
RULES_OF_KEYS: Mapping[str, str] = {
    "streaming": "VIEW-1",
    "conversation": "VIEW-4",
    "ended": "VIEW-6",
    "calls": "VIEW-7",
    "children": "VIEW-6",
}


@frozen
class Deviation:
    """The first record of a stream after which something else is shown than must be."""

    rule: str
    text: str


def stream(*records: Event, run_id: str = "run") -> list[Event]:
    """A stream by hand: a run-id, seq and ts for each."""
    envelope = {"ts": "2026-01-01T00:00:00.000000Z", "run-id": run_id}
    return [{**envelope, "seq": seq, **record} for seq, record in enumerate(records)]


def rendered(case: Case, events: Sequence[Event]) -> Mapping[str, Any]:
    """What a fresh consumer shows after these records, of which it gets copies."""
    view = cast(Consumer, case.adapter).render(deepcopy(list(events)))
    assert isinstance(view, Mapping), f"render returned an object of class {type(view).__name__}; it must be a map"
    return _listed_up(view)


def _listed_up(view: Mapping[str, Any]) -> Mapping[str, Any]:
    """The view with lists for tuples, which are as good."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in view.items()}


def deviation(case: Case, events: Sequence[Event]) -> Deviation | None:
    """The first deviation from what must be shown, at any prefix of the stream."""
    for count, expected in enumerate(views(events)):
        shown = rendered(case, events[:count])
        for key in KEYS:
            if (found := shown.get(key, NOT_THERE)) != expected[key]:
                return _deviation(events[:count], key, found, expected[key])
        if not _is_child(shown, expected):
            return _deviation(events[:count], "children", shown["children"], expected["children"])
    return None


def _are_children(found: Any, expected: Mapping[str, Any]) -> bool:
    """Whether these are the views of the children, each with its own children where it shows any."""
    return (
        isinstance(found, Mapping)
        and found.keys() == expected.keys()
        and all(
            isinstance(view, Mapping) and _is_child(_listed_up(view), expected[agent]) for agent, view in found.items()
        )
    )


def _is_child(view: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    own = all(view.get(key, NOT_THERE) == expected[key] for key in KEYS)
    return own and (view.get("children") is None or _are_children(view["children"], expected["children"]))


def _deviation(events: Sequence[Event], key: str, found: Any, expected: Any) -> Deviation:
    kind = events[-1]["kind"] if events else ""
    after = f"after the {kind}, which is the last of {len(events)} records," if events else "before any record"
    said = f"{after} {key} is {_told(found)}; it must be {_told(expected)}"
    return Deviation(RULES.get(kind, RULES_OF_KEYS[key]), f"{said}\nthe records:\n{_listed(events)}")


def _told(value: Any) -> str:
    text = value if value == NOT_THERE else json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= 300 else f"{text[:300]}…"


def _listed(events: Sequence[Event]) -> str:
    envelope = ("kind", "ts", "run-id", "seq")
    lines = (
        f"  {event['seq']:>3} {event['kind']} {_told({key: event[key] for key in event if key not in envelope})}"
        for event in events[-30:]
    )
    return "\n".join(lines)


def assert_shown(case: Case, rule: str, events: Sequence[Event]) -> None:
    """A consumer may not deviate at a record of this rule; the others are checked elsewhere."""
    found = deviation(case, events)
    assert found is None or found.rule != rule, found.text


def for_streams(case: Case, check: Callable[[list[Event]], None]) -> None:
    """Check streams of the model's tours, and others at random; the simplest that fails is reported."""

    @settings(
        max_examples=3 * case.budgets.examples,
        deadline=None,
        database=None,
        derandomize=True,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    @given(streams_of_the_tours() | valid_streams(max_size=30))
    def checked(events: list[Event]) -> None:
        check(events)

    checked()


def without_tokens(events: Sequence[Event]) -> Iterator[tuple[int, Event]]:
    """The records but the tokens, counted anew, each with how many of all there are up to it."""
    kept = [(count, event) for count, event in enumerate(events, 1) if event["kind"] != "token"]
    yield from ((count, {**event, "seq": seq}) for seq, (count, event) in enumerate(kept))
