"""The reference's consumer shows what the model's does: on every edge of its graphs, and on many other streams."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from agent_run import Renderer
from agent_run.events import Token
from agent_run_tck.streams import graph
from agent_run_tck.streams.consumer import views
from agent_run_tck.streams.generator import Event, toured_streams, valid_stream


def shown(stream: list[Event]) -> list[dict[str, Any]]:
    renderer = Renderer()
    found = [renderer.view()]
    for record in stream:
        renderer.take(record)
        found.append(renderer.view())
    return found


@pytest.mark.parametrize("name", graph.NAMES)
def test_it_shows_what_the_model_shows_on_every_edge(name: graph.Name) -> None:
    for stream in toured_streams(name):
        assert shown(stream) == views(stream)


def test_it_shows_what_the_model_shows_of_long_streams_with_children() -> None:
    for seed in range(60):
        stream = valid_stream(Random(seed), size=60)
        assert shown(stream) == views(stream)


def test_a_view_is_a_copy_of_its_own() -> None:
    renderer = Renderer()
    for spoiled in (renderer.view(), renderer.view()):
        spoiled["conversation"].append("x")
        spoiled["calls"]["x"] = "x"
    assert renderer.view() == {"conversation": [], "streaming": "", "calls": {}, "ended": None, "children": {}}


def test_an_unknown_kind_changes_nothing() -> None:
    renderer = Renderer()
    renderer.take({"kind": "of-tomorrow", "run-id": "r", "seq": 0, "ts": "now", "text": "x", "id": "x"})
    assert renderer.view() == Renderer().view()


def test_a_record_without_what_its_kind_must_have_is_an_error() -> None:
    record = Token(text="x").plain()
    with pytest.raises(KeyError, match="run-id"):
        Renderer().take(record)
