"""A schedule as a file of JSON Lines: what it is of and what it shows, then one line for each decision."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from agent_run_tck.index import contract_version
from agent_run_tck.schedules.points import Place
from agent_run_tck.schedules.scheduler import Decision
from agent_run_tck.schedules.trial import Finding

SCHEDULE_VERSION = 2


class BadSchedule(Exception):
    """A file that is no schedule; the text says why and what to do, on one line."""


@frozen
class Schedule:
    """Decisions that differ from the default order, and what they show of the modules with these hashes."""

    implementation: str
    scenario: str
    modules: Mapping[str, str]
    finding: Finding
    decisions: Sequence[Decision]
    python: str = f"{sys.version_info.major}.{sys.version_info.minor}"
    """The version of Python that it was found with; another one may stop at other lines."""

    def told(self) -> list[str]:
        """One line for each forced switch: where it comes, from whom and to whom."""
        if not self.decisions:
            return ["in the default order: each thread goes on until it has to wait"]
        return [f"{each.label} -> {each.to_label}, before {each.place}" for each in self.decisions]


def write(path: Path, schedule: Schedule) -> None:
    header = {
        "schedule": SCHEDULE_VERSION,
        "contract": contract_version(),
        "implementation": _from_anywhere(schedule.implementation),
        "scenario": schedule.scenario,
        "shows": {
            "kind": schedule.finding.kind,
            "requirement": schedule.finding.requirement,
            "text": schedule.finding.text,
        },
        "modules": dict(schedule.modules),
        "python": schedule.python,
        "decisions": len(schedule.decisions),
    }
    lines = [header, *map(_as_data, schedule.decisions)]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


def _from_anywhere(spec: str) -> str:
    """The same for `--impl`, whatever the current folder is."""
    target, colon, factory = spec.partition(":")
    return f"{Path(target).resolve()}{colon}{factory}" if target.endswith(".py") else spec


def is_schedule(path: Path) -> bool:
    """Whether the first line of the file says that it is one, of whatever version."""
    try:
        with path.open(encoding="utf-8") as lines:
            return "schedule" in json.loads(next(lines))
    except (OSError, ValueError, StopIteration, TypeError):
        return False


def read(path: Path) -> Schedule:
    """Raises BadSchedule."""
    try:
        header, *lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        version = header["schedule"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadSchedule(f"{path}: it is no schedule ({error!r}); give the file that a failure has named") from None
    if version != SCHEDULE_VERSION or header.get("contract") != contract_version():
        raise BadSchedule(
            f"{path}: it is version {version} of contract {header.get('contract')}, and this kit reads version "
            f"{SCHEDULE_VERSION} of contract {contract_version()}; explore anew"
        )
    try:
        shows = Finding(**header["shows"])
        decisions = [_from_data(line) for line in lines]
        number = int(header["decisions"])
        about = (header["implementation"], header["scenario"], dict(header["modules"]))
        schedule = Schedule(*about, shows, decisions, str(header["python"]))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadSchedule(f"{path}: a field is wrong ({error!r}); give the file as it was written") from None
    if len(decisions) != number:
        raise BadSchedule(f"{path}: it has {len(decisions)} of its {number} decisions; give the file as it was written")
    return schedule


def _as_data(decision: Decision) -> dict[str, Any]:
    place = decision.place
    return {
        "thread": decision.thread,
        "point": decision.point,
        "to": decision.to,
        "name": decision.label,
        "to_name": decision.to_label,
        "file": place.file,
        "line": place.line,
        "what": place.what,
        "source": place.source,
    }


def _from_data(data: Mapping[str, Any]) -> Decision:
    place = Place(str(data["file"]), int(data["line"]), str(data["what"]))
    labels = str(data["name"]), str(data["to_name"])
    return Decision(str(data["thread"]), int(data["point"]), str(data["to"]), *labels, place)
