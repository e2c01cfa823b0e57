"""A port that answers nothing any more."""

import threading

from _port import BrokenPort, Message

VERDICT, SAYS = "the port hangs", "the port answers nothing else either"


class Port(BrokenPort):
    def at_cancel(self, request: Message) -> None:
        with self._writing:
            threading.Event().wait()


if __name__ == "__main__":
    Port().serve()
