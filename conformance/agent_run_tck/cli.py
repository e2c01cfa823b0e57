"""The command line: `agent-run-tck`."""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from agent_run_tck.init import CannotWrite, init
from agent_run_tck.lint.command import lint

PACKAGE = Path(__file__).parent
CHECKOUT = PACKAGE.parents[1] / "tla"
SHIPPED = PACKAGE / "tla"
WRITES_TO_CHECKOUT = ("export", "table", "draw")


class Refused(Exception):
    """The command cannot be done here; the text says why and what to do, on one line."""


def model(arguments: Sequence[str]) -> int:
    """Run tla/tools.py with the arguments as they are; its exit status. Blocks until it has ended."""
    folder = _models()
    if arguments and arguments[0] in WRITES_TO_CHECKOUT and folder != CHECKOUT:
        raise Refused(f"model {arguments[0]} writes into a checkout of the project; run it there")
    try:
        return subprocess.run([sys.executable, str(folder / "tools.py"), *arguments], check=False).returncode
    except KeyboardInterrupt:  # it went to both, and the models have said what there is to say
        return 130


def replay(arguments: Sequence[str]) -> int:
    """Run a failing case again, or judge it; 0 when the contract was kept, 1 when not."""
    from agent_run_tck.histories import replay  # needs Hypothesis, which the other commands do not wait for
    from agent_run_tck.histories.case_file import BadFile
    from agent_run_tck.loading import CannotLoad
    from agent_run_tck.schedules import replay as schedules
    from agent_run_tck.schedules.schedule_file import BadSchedule

    try:
        return schedules.main(arguments) if schedules.names_schedule(arguments) else replay.main(arguments)
    except (replay.CannotReplay, BadFile, BadSchedule, CannotLoad) as problem:
        raise Refused(str(problem)) from None


def _models() -> Path:
    for folder in (CHECKOUT, SHIPPED):
        if (folder / "tools.py").is_file():
            return folder
    raise Refused("the models are not installed with the package; install agent-run-tck anew, or use a checkout")


def parser() -> argparse.ArgumentParser:
    """Knows the commands; each gets what follows its name as it is."""
    top = argparse.ArgumentParser(prog="agent-run-tck", description="Around the contract of an agent run.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    one = commands.add_parser("model", help="check, export or draw the models in TLA+; model --help says more")
    one.set_defaults(run=model)
    one = commands.add_parser("init", help="write the skeleton of an adapter in a language; init --help says more")
    one.set_defaults(run=init)
    one = commands.add_parser(
        "replay", help="run a failing case again, or judge what was recorded; replay --help says more"
    )
    one.set_defaults(run=replay)
    one = commands.add_parser("lint", help="check transcripts of runs against the contract; lint --help says more")
    one.set_defaults(run=lint)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: that of the command; 2 when the command line is wrong or the command cannot be done here."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    command = parser().parse_args(given[:1])
    try:
        return int(command.run(given[1:]))
    except (Refused, CannotWrite) as problem:
        print(f"agent-run-tck: {problem}", file=sys.stderr)
        return 2
