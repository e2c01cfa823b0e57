"""Text of a class of the suite's own: where an implementation copies or converts it, it passes a point."""

from collections.abc import Callable
from typing import Any

from agent_run_tck.index import example_payload
from agent_run_tck.protocol import Adapter
from agent_run_tck.races.trial import nothing
from agent_run_tck.wire.faults import Unsendable

Point = Callable[[], object]


class Text(str):
    """A string that passes a point when it is copied or converted."""

    point: Point

    def __str__(self) -> str:
        self.point()
        return str.__str__(self)

    def __copy__(self) -> "Text":
        self.point()
        return self

    def __deepcopy__(self, memo: object) -> "Text":
        self.point()
        return self

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        self.point()
        return str, (str.__str__(self),)


def text(value: str, point: Point) -> Text:
    made = Text(value)
    made.point = point
    return made


def foreign_text(adapter: Adapter) -> Callable[[str, Point], str]:
    """What makes the text that is given to finish: `text`, or plain strings where finish does not take such a thing."""
    run = adapter.create_run()
    try:
        took = run.finish(
            adapter.make_event("run-completed", example_payload("run-completed")), final=text("a", nothing)
        )
        return text if took and run.result.value["final"] == "a" else _plain
    except (Exception, Unsendable):
        return _plain


def _plain(value: str, point: Point) -> str:
    return value
