"""The examples of streams.md are whole streams of records, and each rule on streams has a right and a wrong one."""

import pytest

from tests.spec.stream_examples import Example, examples
from tests.spec.test_index import ids


@pytest.mark.parametrize("requirement", ids("stream"))
def test_a_rule_on_streams_has_a_right_and_a_wrong_example(requirement: str) -> None:
    assert {example.right for example in examples() if example.requirement == requirement} == {True, False}


def test_no_example_is_given_twice() -> None:
    texts = [example.text for example in examples()]
    assert len(texts) == len(set(texts)) > 60


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.text)
def test_an_example_ends_in_a_terminal_unless_that_is_its_fault(example: Example) -> None:
    ends = [record["kind"] for record in example.records][-1].startswith("run-")
    assert ends or (example.requirement in ("GRAM-1", "SUB-3") and not example.right)
