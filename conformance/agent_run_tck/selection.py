"""What a run of the suite checks: the requirements and profiles that were asked for."""

from collections.abc import Iterable
from difflib import get_close_matches

from attrs import frozen

from agent_run_tck.index import requirements

ON_TRANSCRIPTS = "this is checked on transcripts of runs; use agent-run-tck lint FILE"


class CannotSelect(Exception):
    """A choice that selects no check; the text is one line that says why and what to do."""


@frozen
class Selection:
    """The ids and profiles that were chosen; none of a sort means all of it."""

    ids: frozenset[str]
    profiles: frozenset[str]

    def takes(self, id: str | None) -> bool:
        """Whether to run the check of a requirement; a check without one is the model's, which is of profile run."""
        profile = requirements()[id].profile if id else "run"
        return (not self.ids or id in self.ids) and (not self.profiles or profile in self.profiles)


def selection(ids: Iterable[str] | None, profiles: Iterable[str] | None) -> Selection:
    """What `--requirement` and `--profile` ask for. Raises CannotSelect."""
    chosen = frozenset(name.strip() for each in profiles or () for name in each.split(","))
    for profile in sorted(chosen):
        _refuse_profile(profile)
    return Selection(frozenset(id for name in ids or () for id in _named(name)), chosen)


def _named(name: str) -> list[str]:
    """The requirements of a family, or the one with this id."""
    family = [each.id for each in requirements().values() if each.family == name]
    _refuse_requirement(name, family[0] if family else name)
    return family or [name]


def _refuse_profile(profile: str) -> None:
    known = list(dict.fromkeys(each.profile for each in requirements().values()))
    checked = list(dict.fromkeys(each.profile for each in requirements().values() if each.checked))
    if profile not in known:
        raise CannotSelect(f"--profile={profile}: there is no such profile; choose from {', '.join(checked)}")
    if profile not in checked:
        raise CannotSelect(f"--profile={profile}: {ON_TRANSCRIPTS}")


def _refuse_requirement(given: str, id: str) -> None:
    if id not in requirements():
        checked = [each.id for each in requirements().values() if each.checked]
        near = get_close_matches(id.upper(), checked, n=3)
        advice = f"did you mean {', '.join(near)}?" if near else "ids look like CANCEL-6, families like CANCEL"
        raise CannotSelect(f"--requirement={given}: there is no such requirement; {advice}")
    if not requirements()[id].checked:
        raise CannotSelect(f"--requirement={given}: {ON_TRANSCRIPTS}")
