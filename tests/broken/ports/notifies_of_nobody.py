"""A port that notifies of a tap that nobody has made."""

from _port import BrokenPort, Message

VERDICT, SAYS = "the port breaks the protocol", "there is no tap called 'somebody'"


class Port(BrokenPort):
    def at_cancel(self, request: Message) -> None:
        self.send({"note": "done", "tap": "somebody", "thread": "1"})
        super().at_cancel(request)


if __name__ == "__main__":
    Port().serve()
