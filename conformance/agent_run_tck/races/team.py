"""Threads that wait for trials: to start a thread for each body of each trial would take longer than the trial."""

import time
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue

from agent_run_tck.races.noise import is_file_of_the_implementation
from agent_run_tck.races.trial import Body
from agent_run_tck.steering import Task

MOST = 4


class Team:
    """Runs the bodies of one trial after the other, all bodies of a trial from one start line. For one caller only.

    After a hang it is of no more use: some of its threads stand where the bodies do.
    """

    def __init__(self) -> None:
        self._bodies: list[SimpleQueue[Callable[[], object] | None]] = [SimpleQueue() for _ in range(MOST)]
        self._ends: SimpleQueue[int] = SimpleQueue()
        self._tasks = [Task(lambda bodies=bodies: _serve(bodies), "race") for bodies in self._bodies]  # type: ignore[misc]
        self.errors: list[BaseException] = []

    def start(self, bodies: Sequence[Body]) -> None:
        """Let the bodies start. Does not wait for them."""
        at_the_line: list[None] = []
        for number, body in enumerate(bodies):
            self._bodies[number].put(self._from_the_line(number, body, at_the_line, len(bodies)))

    def ended(self, running: int, seconds: float) -> int:
        """Wait at most so long for the bodies that are still running; how many are then."""
        deadline = time.monotonic() + seconds
        while running:
            try:
                self._ends.get(timeout=max(0, deadline - time.monotonic()))
            except Empty:
                break
            running -= 1
        return running

    def stuck(self) -> list[str]:
        """Where the threads stand that have not come to the end of their bodies: in the implementation, if they do."""
        places = [task.position(is_file_of_the_implementation) for task in self._tasks]
        return [place for place in places if "in _serve" not in place]

    def stop(self) -> None:
        """Let the threads end that can. Never blocks."""
        for bodies in self._bodies:
            bodies.put(None)

    def _from_the_line(self, number: int, body: Body, at_the_line: list[None], how_many: int) -> Body:
        def run() -> None:
            at_the_line.append(None)
            while len(at_the_line) < how_many:
                time.sleep(0)  # a barrier wakes one thread after the other; who looks for itself starts with the others
            try:
                body()
            except BaseException as error:  # SystemExit from an implementation must not end the thread
                self.errors.append(error)
            self._ends.put(number)

        return run


def _serve(bodies: "SimpleQueue[Callable[[], object] | None]") -> None:
    while (body := bodies.get()) is not None:
        body()
        del body
