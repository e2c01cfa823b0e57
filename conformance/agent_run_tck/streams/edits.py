"""Edits that make a valid stream break one requirement of profile `stream`.

An edit finds the places where it can be made, and makes it at one of them; the seqs are counted anew unless they are
what it is about.  Whether the outcome is valid by accident is not asked here.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from agent_run_tck.streams.editing import Edit, Event, Stream, rewrapped, whole_children
from agent_run_tck.streams.edits_of_turns import EDITS_OF_TURNS
from agent_run_tck.streams.edits_of_work import EDITS_OF_WORK
from agent_run_tck.streams.reading import states

Edited = tuple[list[Event], str, str]
"""The records, the requirement that they break, and what was edited."""

EDITS: Mapping[str, tuple[Edit, ...]] = {**EDITS_OF_TURNS, **EDITS_OF_WORK}
EDITED = tuple(EDITS)
# What a child's stream does not share with others: GRAM-1 and SUB-3, and its envelope is SUB-1.
_OF_CHILDREN = frozenset(EDITED) - {"GRAM-1", "SUB-3"}
CHILD_SHARE = 0.2


def edited(random: Random, events: list[Event], requirement: str) -> Edited | None:
    """The stream after one of the requirement's edits, or None when it has no place for the one that was chosen.

    A part of the edits is made in the stream of a child, where the requirement holds as well.
    """
    edit = random.choice(EDITS[requirement])
    places = whole_children(events) if requirement in _OF_CHILDREN and random.random() < CHILD_SHARE else []
    if not places:
        return _edited(random, events, requirement, edit)
    chosen = random.choice(places)
    inner = [events[at]["inner"] for at in chosen]
    made = _edited(random, inner, requirement, edit)
    return made and (rewrapped(events, chosen, made[0]), requirement, f"in a child, {made[2]}")


def _edited(random: Random, events: list[Event], requirement: str, edit: Edit) -> Edited | None:
    found = list(edit(Stream(events, states(events))))
    if not found:
        return None
    what, make = random.choice(found)
    name = edit.__name__.strip("_").replace("_", " ")
    return make(), requirement, f"{name}: {what}"
