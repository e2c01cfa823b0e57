"""A port that declares threads and serves one request after the other."""

import json
import sys

from _port import BrokenPort

VERDICT, SAYS = "the port hangs", "cancel got no reply within"


class Port(BrokenPort):
    def serve(self) -> None:
        for line in sys.stdin.buffer:
            self.answer(json.loads(line))


if __name__ == "__main__":
    Port().serve()
