"""A port that replies twice to one request."""

from _port import BrokenPort, Message

VERDICT, SAYS = "the port breaks the protocol", "a second reply to request"


class Port(BrokenPort):
    def at_cancel(self, request: Message) -> None:
        super().at_cancel(request)
        self.send({"id": request["id"], "ok": None})


if __name__ == "__main__":
    Port().serve()
