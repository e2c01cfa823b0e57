"""A port that gets stuck in the middle of a message."""

import threading

from _port import BrokenPort, Message

VERDICT, SAYS = "the port hangs", 'half a line came: \'{"id":'


class Port(BrokenPort):
    def at_cancel(self, request: Message) -> None:
        with self._writing:
            print('{"id":', end="", flush=True)
            threading.Event().wait()


if __name__ == "__main__":
    Port().serve()
