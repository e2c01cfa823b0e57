"""the texts of the plain form are of a class that only looks like one."""

from typing import Any

from tests.broken._adapter import Adapter

BREAKS = ("EVENT-11", "EVENT-13")
SAYS = "it holds an object of class Text"


class Text(str):
    __slots__ = ()


class Broken(Adapter):
    def plain(self, event: Any) -> dict[str, Any]:
        return {key: Text(value) if type(value) is str else value for key, value in super().plain(event).items()}


tck_adapter = Broken
