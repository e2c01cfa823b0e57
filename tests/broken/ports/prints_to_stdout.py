"""A port that writes its log where only messages may go."""

from _port import BrokenPort, Message

VERDICT, SAYS = "the port breaks the protocol", "everything else to stderr): Cancelling the run"


class Port(BrokenPort):
    def at_cancel(self, request: Message) -> None:
        self.raw(b"Cancelling the run\n")
        super().at_cancel(request)


if __name__ == "__main__":
    Port().serve()
