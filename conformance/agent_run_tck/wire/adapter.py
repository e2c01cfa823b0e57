"""The adapter behind `exec:COMMAND`: it starts the port, gives each check a session, and ends what it started."""

import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from agent_run_tck.index import contract_version
from agent_run_tck.wire.connection import Connection
from agent_run_tck.wire.faults import Died, ProtocolFault, Unsupported
from agent_run_tck.wire.proxies import PortEvent, PortPromise, PortRun, WaitingPromise
from agent_run_tck.wire.session import Session

if TYPE_CHECKING:
    from agent_run_tck.case import Case

PROTOCOL_VERSION = 1
STARTING_SECONDS = 12.0
SECONDS = 5.0
CASES_OF_A_CHILD = 64


class ExecAdapter:
    """An implementation in another process, which a command starts. Any thread may use it.

    `session(case)` is what a check works with; who has no check uses the adapter itself. A child serves some checks
    and is then told to end; one that is at fault, or spoilt by a check, is killed, and the next check has a new one.
    """

    def __init__(self, command: str) -> None:
        """Start the port and say hello. A Fault when it cannot be started or does not answer well."""
        self._command = command
        self._choosing = threading.RLock()
        self._connection: Connection | None = None
        self._open = self._served = 0
        self._names = itertools.count(1)
        self._own: Session | None = None
        self._said: Mapping[str, Any] = {}
        self._usable()
        self.name = str(self._said["name"])
        self.version = str(self._said["version"])
        self.language = str(self._said["language"])
        self.capabilities: Mapping[str, bool] = self._said["capabilities"]

    def session(self, case: "Case | None" = None) -> Session:
        """A session of its own, to be closed. Blocks while a new child starts, if there has to be one."""
        with self._choosing:
            connection = self._usable()
            connection.seconds = case.budgets.wait if case is not None else SECONDS
            self._open += 1
            return self._session(connection, case, self._left)

    def create_run(self, run_id: str | None = None, on_cancel: Callable[[], object] | None = None) -> PortRun:
        """A new run in the port. A function given as hook is told what happens; it must not ask the port."""
        return self._without_a_check().create_run(run_id, on_cancel)

    def make_event(self, kind: str, payload: Mapping[str, Any]) -> PortEvent:
        """An event that is made in the port now. Refusal when it cannot be made."""
        return self._without_a_check().make_event(kind, payload)

    def make_event_at(self, kind: str, payload: Mapping[str, Any], ts: datetime) -> PortEvent:
        """The same for an event that was created at `ts`; for ports that declare given_ts."""
        return self._without_a_check().make_event_at(kind, payload, ts)

    def render(self, events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """What a fresh consumer in the port shows after these records; for ports that declare consumer."""
        return self._without_a_check().render(events)

    def plain(self, event: PortEvent) -> dict[str, Any]:
        return self._without_a_check().plain(event)

    def end(self) -> None:
        """Have the port end itself. Idempotent; raises a Fault when it does not end well, and kills it then."""
        with self._choosing:
            connection, self._connection, self._own = self._connection, None, None
        if connection is not None and connection.fault is None:
            connection.bye()

    def kill(self) -> None:
        """Kill the port with all that it has started. Idempotent."""
        connection = self._connection
        if connection is not None:
            connection.retire(Died("the suite has killed the port"))

    def _usable(self) -> Connection:
        with self._choosing:
            if self._connection is None or self._connection.fault is not None:
                self._connection = connection = Connection(self._command, STARTING_SECONDS)
                self._open, self._served, self._own = 0, 0, None
                self._said = _greeted(connection)
                connection.seconds = SECONDS
            return self._connection

    def _without_a_check(self) -> Session:
        with self._choosing:
            connection = self._usable()
            if self._own is None:
                self._own = self._session(connection, None, lambda session, spoilt: None)
            return self._own

    def _session(self, connection: Connection, case: "Case | None", leave: Callable[[Session, bool], None]) -> Session:
        session = Session(connection, f"c{next(self._names)}", case, leave)
        session.promise = WaitingPromise if self.capabilities.get("waits") else PortPromise
        return session

    def _left(self, session: Session, spoilt: bool) -> None:
        with self._choosing:
            if session.connection is not self._connection:
                return
            self._open -= 1
            self._served += 1
            if spoilt:
                self._connection = None
        if spoilt:
            session.connection.retire(Died("the suite is done with this port, which an earlier check has spoilt"))
        elif self._served >= CASES_OF_A_CHILD and not self._open:
            self.end()


def _greeted(connection: Connection) -> Mapping[str, Any]:
    said: Mapping[str, Any] = connection.ask("hello", protocol=PROTOCOL_VERSION, contract=contract_version())
    if said["protocol"] != PROTOCOL_VERSION:
        text = f"the port speaks version {said['protocol']} of the protocol; this suite speaks {PROTOCOL_VERSION}"
        raise connection.broken(ProtocolFault(text))
    if said["contract"].partition(".")[0] != contract_version().partition(".")[0]:
        text = f"the port was written for contract {said['contract']}; this suite checks {contract_version()}"
        raise connection.broken(Unsupported(text))
    return said
