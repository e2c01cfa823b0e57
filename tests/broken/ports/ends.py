"""A port that ends itself with a status and last words."""

import os
import sys

from _port import BrokenPort, Message

VERDICT = "the port died"
SAYS = "ended with status 3, while it was asked for cancel; its last lines on stderr:\n    out of cheese"


class Port(BrokenPort):
    def at_cancel(self, request: Message) -> None:
        print("out of cheese", file=sys.stderr, flush=True)
        os._exit(3)


if __name__ == "__main__":
    Port().serve()
