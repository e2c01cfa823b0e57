"""A port that sends ten megabytes in one line."""

from _port import BrokenPort, Message

VERDICT, SAYS = "the port breaks the protocol", "a line of more than 1048576 bytes"


class Port(BrokenPort):
    def at_cancel(self, request: Message) -> None:
        self.send({"id": request["id"], "ok": "x" * 10_000_000})


if __name__ == "__main__":
    Port().serve()
