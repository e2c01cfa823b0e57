"""The examples of streams are what the scripted driver publishes, keep the rules, and are shown as explained."""

import json
import re

import pytest
from agent_run import Renderer

from tests.lint.linting import findings
from tests.spec.scripted_driver import EXAMPLES, SCRIPTS, transcript

README = (EXAMPLES / "README.md").read_text()
CONVERSATIONS = {
    "retry": ["Paris is it."],
    "limit": ["I look it up."],
    "tools": ["Four calls."],
    "background": ["I start two searches.", "The second one was enough."],
    "children": ["I ask two readers.", "Both are read."],
}


def shown(name: str) -> dict[str, object]:
    renderer = Renderer()
    for line in (EXAMPLES / f"{name}.jsonl").read_text().splitlines():
        renderer.take(json.loads(line))
    return renderer.view()


@pytest.mark.parametrize("name", SCRIPTS)
def test_an_example_is_what_its_script_publishes(name: str) -> None:
    assert (EXAMPLES / f"{name}.jsonl").read_text() == transcript(name), "python -m tests.spec.scripted_driver"


@pytest.mark.parametrize("name", SCRIPTS)
def test_an_example_keeps_every_rule(name: str) -> None:
    assert [found for found in findings((EXAMPLES / f"{name}.jsonl").read_bytes()) if found.level == "error"] == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_an_example_shows_what_was_committed(name: str) -> None:
    view = shown(name)
    assert view["conversation"] == CONVERSATIONS[name]
    assert view["streaming"] == ""


def test_the_calls_are_shown_as_they_ended() -> None:
    assert shown("tools")["calls"] == {"c1": "unknown", "c2": "unknown", "c3": "answered", "c4": "not-run"}


def test_a_restarted_child_is_shown_as_it_was_restarted() -> None:
    children = shown("children")["children"]
    assert isinstance(children, dict)
    assert {agent: view["conversation"] for agent, view in children.items()} == {
        "reader-1": ["Chapter one is short."],
        "reader-2": ["Chapter two is long."],
    }


def test_every_example_is_explained() -> None:
    explained = re.findall(r"^## \[(\S+)\.jsonl\]\(\1\.jsonl\)$", README, re.MULTILINE)
    assert explained == list(SCRIPTS)
    assert {path.stem for path in EXAMPLES.glob("*.jsonl")} == set(SCRIPTS)


def test_the_explanations_quote_the_lines_that_they_speak_of() -> None:
    for name in SCRIPTS:
        part = README.partition(f"]({name}.jsonl)")[2].partition("\n## ")[0]
        kinds = [json.loads(line)["kind"] for line in (EXAMPLES / f"{name}.jsonl").read_text().splitlines()]
        spoken = re.findall(r"^\| (\d+) \| ([\w-]+) \|", part, re.MULTILINE)
        assert spoken
        assert [(int(line), kind) for line, kind in spoken if kinds[int(line) - 1] != kind] == []
