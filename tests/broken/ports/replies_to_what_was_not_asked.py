"""A port that gives a reply the wrong id."""

from _port import BrokenPort, Message

VERDICT, SAYS = "the port breaks the protocol", "a reply to request 100000, which was never made"


class Port(BrokenPort):
    def at_cancel(self, request: Message) -> None:
        self.send({"id": 100_000, "ok": None})


if __name__ == "__main__":
    Port().serve()
