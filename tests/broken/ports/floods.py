"""A port that hands the same event to a tap again and again."""

from _port import BrokenPort, Message

VERDICT, SAYS = "the port is too chatty", "messages; "


class Port(BrokenPort):
    def at_cancel(self, request: Message) -> None:
        note = {"note": "handed", "tap": next(iter(self._taps)), "thread": "1", "events": [{"kind": "log"}]}
        while True:
            self.send(note)


if __name__ == "__main__":
    Port().serve()
