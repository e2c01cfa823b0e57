"""The model port, to be broken: each module here changes what it does when it is asked to cancel."""

import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3] / "conformance" / "ports"))
from model_port import Port

Message = dict[str, Any]


class BrokenPort(Port):
    """Answers as the model port does, and `at_cancel` to a cancel."""

    def __init__(self) -> None:
        super().__init__("agent_run")

    def answer(self, request: Message) -> BaseException | None:
        if request["op"] == "cancel":
            return self.at_cancel(request)
        return super().answer(request)

    def at_cancel(self, request: Message) -> BaseException | None:
        return super().answer(request)

    def raw(self, line: bytes) -> None:
        """Write what is no message."""
        with self._writing:
            os.write(1, line)

    def _hello(self, ask: Message) -> Message:
        return {**super()._hello(ask), "name": Path(sys.argv[0]).stem}
