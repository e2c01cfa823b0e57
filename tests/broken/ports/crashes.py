"""A port that is ended by a signal in the middle of a line."""

import os
import signal

from _port import BrokenPort, Message

VERDICT = "the port died"
SAYS = "ended with signal SIGKILL, in the middle of a line: '{\"id\"', while it was asked for cancel"


class Port(BrokenPort):
    def at_cancel(self, request: Message) -> None:
        self.raw(b'{"id"')
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    Port().serve()
