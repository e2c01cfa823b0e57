"""A port that is not complete, and says so."""

from _port import BrokenPort

VERDICT, SAYS = "the port is not complete", "the port does not support cancel: this port has no cancel"


class Port(BrokenPort):
    def __init__(self) -> None:
        super().__init__()
        del self._operations["cancel"]


if __name__ == "__main__":
    Port().serve()
