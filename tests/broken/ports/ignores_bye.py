"""A port that answers bye and stays."""

from _port import BrokenPort, Message

VERDICT, SAYS = "the port hangs", "the port answered bye and did not end within"


class Port(BrokenPort):
    def answer(self, request: Message) -> BaseException | None:
        if request["op"] != "bye":
            return super().answer(request)
        self.send({"id": request["id"], "ok": None})
        return None


if __name__ == "__main__":
    Port().serve()
