"""A port that sends its texts in another encoding."""

from _port import BrokenPort, Message

VERDICT, SAYS = "the port breaks the protocol", "a line that is not UTF-8, byte"


class Port(BrokenPort):
    def at_cancel(self, request: Message) -> None:
        self.raw(f'{{"id":{request["id"]},"error":{{"code":"raised","message":"\xe9tat"}}}}\n'.encode("latin-1"))


if __name__ == "__main__":
    Port().serve()
