"""One conversation with a port: requests and their replies, notifications, and what goes wrong with either."""

import itertools
import json
import shlex
import threading
from collections.abc import Callable, Iterable
from queue import Empty, SimpleQueue
from typing import Any, NoReturn

from attrs import frozen

from agent_run_tck.wire.child import MOST_BYTES, Child
from agent_run_tck.wire.faults import (
    Chatty,
    Died,
    Fault,
    Hung,
    ProtocolFault,
    Refusal,
    SuiteFault,
    Unsendable,
    Unsupported,
)
from agent_run_tck.wire.schemas import Breach, check, schemas, shortened

# How many messages an operation may bring about, beside its reply: to several taps, each with scripts of its own.
SPARE_MESSAGES = 10_000
MESSAGES_PER_OPERATION = 100
MESSAGES_PER_EVENT = 10
SHOWN_LINES = 10
SENDABLE = (str, int, bool, type(None), float)
Message = dict[str, Any]
Listener = Callable[[Message], None]
Key = tuple[str, str]
NOTES_OF = {
    "handed": "tap", "done": "tap", "quit": "tap", "called": "script", "returned": "script", "waiting": "gate",
}  # fmt: skip


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_decode = json.JSONDecoder(parse_constant=_no_constant).decode
_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode


@frozen
class Expected:
    """A request that waits for its reply, or an operation of a script, whose reply may come `again`.

    `on_reply` gets the message, or None when the port is at fault. It is called on the connection's own thread.
    """

    op: str
    on_reply: Callable[[Message | None], None]
    again: bool


class Connection:
    """A port that was started, and what it is asked. All of it may be used from any thread.

    What is heard (replies to operations of scripts, notifications) is handed to listeners on a thread of its own, in
    the order in which the port sent it, and before a reply that comes later is given to who asked. They must not ask.
    A port that is at fault is killed; `fault` says what it did, and whatever is asked, then and later, raises it.
    """

    def __init__(self, command: str, seconds: float) -> None:
        self.seconds = seconds
        self.fault: Fault | None = None
        self.watchers: list[Callable[[Fault], None]] = []
        self._listeners: dict[Key, Listener] = {}
        self._expected: dict[int, Expected] = {}
        self._ids = itertools.count(1)
        self._last_id = 0
        self._forgotten: set[Key | int] = set()
        self._emitted = self._received = 0
        self._lock = threading.Lock()
        self._reader = 0
        self._gone = threading.Event()
        self.child = self._started(command)
        self.child.start()

    def _started(self, command: str) -> Child:
        try:
            return Child(shlex.split(command), self._receive, self._ended)
        except (OSError, ValueError) as error:
            raise Died(f"there is no such program: {error}") from None

    # --- asking -------------------------------------------------------------------------------------------------

    def ask(self, op: str, **fields: Any) -> Any:
        """What the port replies. Raises Refusal when the implementation raised, and a Fault when the port is at fault.

        Blocks until the reply comes, for as long as the port answers other questions: an operation may block.
        """
        replies: SimpleQueue[Message | None] = SimpleQueue()
        self._send(self.expect(op, replies.put), op, fields)
        while True:
            try:
                return self._told(op, replies.get(timeout=self.seconds))
            except Empty:
                if not self.answers():
                    raise self.hangs(f"{op} got no reply within {self.seconds:.3g} s") from None

    def answers(self) -> bool:
        """Whether the port answers at all. Blocks for `seconds` at most."""
        replies: SimpleQueue[Message | None] = SimpleQueue()
        try:
            self._send(self.expect("forget", replies.put), "forget", {"runs": [], "events": [], "gates": []})
            return replies.get(timeout=self.seconds) is not None
        except (Empty, Fault):
            return False

    def expect(self, op: str, on_reply: Callable[[Message | None], None], again: bool = False) -> int:
        """An id for a request, or for an operation of a script; its replies go to `on_reply`. Never blocks."""
        id = self.new_id()
        self._expected[id] = Expected(op, on_reply, again)
        return id

    def new_id(self) -> int:
        """An id that nothing is expected for. Never blocks."""
        self._last_id = id = next(self._ids)
        return id

    def listen(self, kind: str, label: str, listener: Listener) -> None:
        """Have `listener` told what the port says of this tap, script or gate. Never blocks."""
        self._listeners[kind, label] = listener

    def forget(self, keys: Iterable[Key], ids: Iterable[int]) -> None:
        """Pass over what the port may still say of these. Never blocks."""
        for key in keys:
            self._forgotten.add(key)
            self._listeners.pop(key, None)
        for id in ids:
            self._forgotten.add(id)
            self._expected.pop(id, None)

    @property
    def waits_for_replies(self) -> bool:
        """Whether any request, other than operations of scripts, has no reply yet."""
        return any(not expected.again for expected in list(self._expected.values()))

    def bye(self) -> None:
        """Ask the port to end, and see that it does. Raises the Fault when it does not; it is gone in any case."""
        try:
            self.ask("bye")
            status = self.child.status(self.seconds)
            if status != "status 0":
                raise self.broken(self._bad_end(status))
        finally:
            self.retire(Died("the port was told bye, and it is gone"))

    # --- faults -------------------------------------------------------------------------------------------------

    def broken(self, fault: Fault) -> Fault:
        """Kill the port for a fault, unless it is dead for one already; the fault that counts."""
        if self._is_first(fault):
            for watcher in list(self.watchers):
                watcher(fault)
            self.retire(fault)
        counts = self.fault or fault
        return type(counts)(str(counts))

    def retire(self, reason: Fault) -> None:
        """Kill the port though nothing is wrong with it; `reason` is for those who ask later. Idempotent."""
        self._is_first(reason)
        for expected in list(self._expected.values()):
            expected.on_reply(None)
        self.child.kill()

    def _is_first(self, fault: Fault) -> bool:
        with self._lock:
            first = self.fault is None
            self.fault = self.fault or fault
        return first

    def hangs(self, what: str) -> Fault:
        """Kill a port that does not answer; the fault."""
        return self.broken(self._hung(what))

    def _hung(self, what: str) -> Fault:
        half = f"; half a line came: {self.child.half_a_line!r}" if self.child.half_a_line else ""
        return Hung(f"{what}, and the port answers nothing else either{half}{self._last_words()}")

    def _bad_end(self, status: str) -> Fault:
        if status == "it still runs":
            return Hung(f"the port answered bye and did not end within {self.seconds:.3g} s{self._last_words()}")
        return Died(f"the port ended with {status} after bye; it has to be status 0{self._last_words()}")

    def _ended(self, half: str) -> None:
        status = self.child.status(self.seconds)
        how = "closed its standard output and still runs" if status == "it still runs" else f"ended with {status}"
        where = f", in the middle of a line: {half!r}" if half else ""
        asked = ", ".join(each.op for each in list(self._expected.values()) if not each.again)
        busy = f", while it was asked for {asked}" if asked else ""
        self.broken(Died(f"the port {how}{where}{busy}{self._last_words()}"))
        self._gone.set()

    def _last_words(self) -> str:
        said = self.child.said()[-SHOWN_LINES:]
        return "; its last lines on stderr:\n" + "\n".join(f"    {line}" for line in said) if said else ""

    # --- sending ------------------------------------------------------------------------------------------------

    def _send(self, id: int, op: str, fields: Message) -> None:
        try:
            self._write(op, self._line({"id": id, "op": op, **fields}))
        except BaseException:
            self._expected.pop(id, None)
            raise
        self._emitted += int(fields.get("count", 0))

    def _line(self, message: Message) -> bytes:
        try:
            refuse_unsendable(message)
            line = _encode(message).encode() + b"\n"
            check(schemas().requests[message["op"]], f"{message['op']}.json, request", message)
        except (ValueError, RecursionError) as error:  # not a finite number, or a cycle
            raise Unsendable(f"{message['op']} cannot be sent: {error}") from error
        except Breach as error:
            raise SuiteFault(f"{message['op']} cannot be sent: {error}") from error
        if len(line) > MOST_BYTES:
            raise SuiteFault(f"{message['op']} cannot be sent: its line has {len(line)} bytes; {MOST_BYTES} may be")
        return line

    def _write(self, op: str, line: bytes) -> None:
        if self.fault is not None:
            raise self.broken(self.fault)
        if threading.get_ident() == self._reader:
            raise SuiteFault(f"{op} is asked for by what listens to the port, which cannot wait for a reply")
        try:
            if not self.child.write(line, self.seconds):
                raise self.hangs(f"{op} could not be sent within {self.seconds:.3g} s")
        except OSError:  # there is nobody to read it, and who hears the port says why
            self._gone.wait(self.seconds)
            raise self.broken(Died(f"the port has closed its standard input{self._last_words()}")) from None

    # --- hearing ------------------------------------------------------------------------------------------------

    def _receive(self, line: bytes) -> None:
        self._reader = threading.get_ident()
        if self.fault is not None:
            return
        try:
            self._take(line)
        except Fault as fault:
            self.broken(fault)
        except BaseException as error:
            self.broken(SuiteFault(f"the suite cannot take {_shown(line)}: {error!r}"))

    def _take(self, line: bytes) -> None:
        message = _read(line)
        self._received += 1
        if self._received > self._most():
            asked = f"{self._last_id} operations cannot bring that about"
            raise Chatty(f"the port has sent {self._received} messages; {asked}")
        try:
            if isinstance(message.get("note"), str):
                self._noted(message)
            elif isinstance(message.get("id"), int):
                self._replied(message)
            else:
                raise Breach("a message has an id, or a note that is a text")
        except Breach as breach:
            raise ProtocolFault(f"{breach}; the port sent {_shown(line)}") from None

    def _most(self) -> int:
        return SPARE_MESSAGES + MESSAGES_PER_OPERATION * self._last_id + MESSAGES_PER_EVENT * self._emitted

    def _noted(self, message: Message) -> None:
        note = message["note"]
        if note not in NOTES_OF:
            raise Breach(f"there is no notification {shortened(repr(note))}; there are {', '.join(NOTES_OF)}")
        check(schemas().notifications[note], f"{note}.json, notification", message)
        key = (NOTES_OF[note], message[NOTES_OF[note]])
        listener = self._listeners.get(key)
        if listener is not None:
            listener(message)
        elif key not in self._forgotten:
            raise Breach(f"there is no {key[0]} called {shortened(repr(key[1]))}")

    def _replied(self, message: Message) -> None:
        id = message["id"]
        expected = self._expected.get(id)
        if expected is None:
            if id in self._forgotten:
                return
            made = 0 < id <= self._last_id
            raise Breach(
                f"a second reply to request {id}" if made else f"a reply to request {id}, which was never made"
            )
        check(schemas().replies[expected.op], f"{expected.op}.json, reply", message)
        if not expected.again:
            del self._expected[id]
        expected.on_reply(message)

    def _told(self, op: str, reply: Message | None) -> Any:
        if reply is None:
            raise self.broken(self.fault or Died("the port is gone"))
        if (error := error_of(op, reply)) is not None:
            raise error
        return reply["ok"]


def refuse_unsendable(value: Any) -> None:
    """Raise Unsendable for what would not arrive as it is: the encoder makes plain data of what only looks like it."""
    kind = type(value)
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise Unsendable(f"a key of class {type(key).__name__} cannot be sent to another process")
            refuse_unsendable(item)
    elif kind is list:
        for item in value:
            refuse_unsendable(item)
    elif kind not in SENDABLE:
        raise Unsendable(f"a value of class {kind.__name__} cannot be sent to another process")


def error_of(op: str, reply: Message) -> BaseException | None:
    """The error in a reply, as what is at fault for it."""
    if "error" not in reply:
        return None
    code, message = reply["error"]["code"], reply["error"]["message"]
    if code == "raised":
        return Refusal(message)
    if code == "unsupported":
        return Unsupported(f"the port does not support {op}: {message}")
    return SuiteFault(f"the port makes no sense of {op}: {message}")


def _read(line: bytes) -> Message:
    if len(line) > MOST_BYTES:
        raise ProtocolFault(f"a line of more than {MOST_BYTES} bytes: {_shown(line)}")
    try:
        message = _decode(line.decode())
    except UnicodeDecodeError as error:
        raise ProtocolFault(f"a line that is not UTF-8, byte {error.start}: {_shown(line)}") from None
    except (ValueError, RecursionError) as error:
        advice = "only messages go to stdout, everything else to stderr"
        raise ProtocolFault(f"a line that is not JSON ({shortened(str(error))}; {advice}): {_shown(line)}") from None
    if not isinstance(message, dict):
        raise ProtocolFault(f"a line that is no JSON object: {_shown(line)}")
    return message


def _shown(line: bytes) -> str:
    return shortened(line[:1000].decode(errors="backslashreplace"))
