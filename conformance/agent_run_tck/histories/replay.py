"""The command `replay`: runs a failing case again, or judges what was recorded."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from agent_run_tck.budgets import BUDGETS
from agent_run_tck.histories import case_file
from agent_run_tck.histories.checking import reason_and_table
from agent_run_tck.histories.disturbing import Disturber
from agent_run_tck.histories.program import ParallelProgram
from agent_run_tck.histories.running import Outcome, run, takes_calls_from_threads
from agent_run_tck.loading import load
from agent_run_tck.protocol import Implementation

TRIES = 100


class CannotReplay(Exception):
    """The file and the options do not go together; the text says why and what to do, on one line."""


def main(arguments: Sequence[str]) -> int:
    """0: the contract was kept, in all tries; 1: it was not. Raises CannotReplay, BadFile or CannotLoad.

    Blocks until all tries are done or one has failed.
    """
    options = _parser().parse_args(arguments)
    case = case_file.read(options.file)
    if options.impl is None:
        outcome = Outcome.of_a_recording(case.history, case.program or ParallelProgram())
        return _tell(outcome, f"what was recorded: {len(case.history.records)} records")
    if case.program is None:
        raise CannotReplay(f"{options.file} has no program to run; leave out --impl to judge what was recorded")
    return _run_again(case.program, load(options.impl), options.tries, options.seed)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="agent-run-tck replay",
        description="Run a failing case again, or judge what was recorded. Exit status 0: the contract was kept; "
        "1: it was violated; 2: this file, or this command line, is of no use.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="the file that a failure has named, or a recording")
    parser.add_argument(
        "--impl", metavar="SPEC", help="run the program of the file on this implementation, as in pytest"
    )
    parser.add_argument(
        "--tries", type=_count, default=TRIES, metavar="N", help=f"run it at most so often (default: {TRIES})"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the noise that lets threads meet")
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of tries; it must be 1 or more")
    return int(text)


def _run_again(program: ParallelProgram, implementation: Implementation, tries: int, seed: int) -> int:
    if len(program.threads) > 1 and not takes_calls_from_threads(implementation):
        raise CannotReplay(f"{implementation.name} takes no calls from several threads, as this program makes them")
    disturber = Disturber(seed)
    with disturber.block():
        for number in range(1, tries + 1):
            outcome = run(implementation, program, BUDGETS["standard"], disturber)
            if not outcome.right:
                return _tell(outcome, f"what {implementation.name} did in try {number} of {tries}")
    return _tell(outcome, f"what {implementation.name} did in {tries} of {tries} tries")


def _tell(outcome: Outcome, what: str) -> int:
    if outcome.right:
        print(f"the contract allows {what}")
        return 0
    print(f"the contract does not allow {what}\n\n{reason_and_table(outcome)}")
    return 1
