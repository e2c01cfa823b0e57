"""A port that puts more into an error than the schema of the reply allows."""

from _port import BrokenPort, Message

VERDICT = "the port breaks the protocol"
SAYS = "schema cancel.json, reply, at ['error']: Additional properties are not allowed ('trace' was unexpected)"


class Port(BrokenPort):
    def at_cancel(self, request: Message) -> None:
        error = {"code": "raised", "message": "no", "trace": []}
        self.send({"id": request["id"], "error": error})


if __name__ == "__main__":
    Port().serve()
