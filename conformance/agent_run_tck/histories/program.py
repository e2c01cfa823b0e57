"""A parallel program: what is called first, then a few short scripts that run side by side from one start line."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import field, frozen
from hypothesis import strategies as st

from agent_run_tck.histories.history import LOOKS
from agent_run_tck.model.contract import OUTCOMES

HOOKS = ("unset", "returns")
TAPS = ("a", "b", "c")
ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "emit": (),
    "finish": OUTCOMES,
    "cancel": (),
    "work_begin": (),
    "work_done": (),
    "tap": TAPS,
    "close": TAPS,
    "observe": tuple(LOOKS),
}
OFTEN = {"emit": 4, "tap": 2, "cancel": 2, "observe": 2}
STEPS = tuple(f"{name} {argument}".rstrip() for name, known in ARGUMENTS.items() for argument in known or ("",))
"""Everything that a script may say. `work_done` ends a section that some `work_begin` of the program was granted, and
`close a` closes the tap that was made last under that name; without one the step is left out."""

Script = tuple[str, ...]


def _scripts(given: Iterable[Iterable[str]]) -> tuple[Script, ...]:
    return tuple(tuple(script) for script in given)


@frozen
class ParallelProgram:
    """`before` is executed first, on a thread of its own; then `threads` run at once, each on a thread of its own."""

    hook: str = "unset"
    before: Script = field(default=(), converter=tuple)
    threads: tuple[Script, ...] = field(default=(), converter=_scripts)

    @property
    def size(self) -> int:
        """How many calls it makes at the most."""
        return len(self.before) + sum(map(len, self.threads))

    def as_data(self) -> dict[str, Any]:
        return {"hook": self.hook, "before": list(self.before), "threads": [list(script) for script in self.threads]}

    @classmethod
    def from_data(cls, data: Any) -> "ParallelProgram":
        """Raises ValueError, in one line, for what is no program."""
        if not isinstance(data, dict) or data.keys() != {"hook", "before", "threads"}:
            raise ValueError("the program must be an object with just hook, before and threads")
        if data["hook"] not in HOOKS:
            raise ValueError(f"the hook of the program is {data['hook']!r}; it must be one of {', '.join(HOOKS)}")
        if not isinstance(data["threads"], list):
            raise ValueError("the threads of the program must be a list of scripts")
        for script in (data["before"], *data["threads"]):
            _check(script)
        return cls(data["hook"], data["before"], data["threads"])

    def shorter(self) -> Iterator["ParallelProgram"]:
        """The programs that are one step simpler, the most promising first: without a thread, without a call, with a
        call made before the start line, with plainer arguments."""
        for without in range(len(self.threads)):
            yield self._with(threads=self.threads[:without] + self.threads[without + 1 :])
        for at, script in enumerate(self.threads):
            for fewer in _one_less(script):
                yield self._with_script(at, fewer)
        for fewer in _one_less(self.before):
            yield self._with(before=fewer)
        for at, script in enumerate(self.threads):
            if len(self.threads) > 1:
                yield self._with_script(at, script[1:])._with(before=(*self.before, *script[:1]))
        if self.hook != "unset":
            yield self._with(hook=HOOKS[HOOKS.index(self.hook) - 1])
        yield from self._plainer()

    def _plainer(self) -> Iterator["ParallelProgram"]:
        for at, script in enumerate(self.threads):
            for step in range(len(script)):
                if script[step] in ("finish failed", "finish cancelled"):
                    yield self._with_script(at, (*script[:step], "finish completed", *script[step + 1 :]))

    def _with_script(self, at: int, script: Script) -> "ParallelProgram":
        scripts = (*self.threads[:at], script, *self.threads[at + 1 :])
        return self._with(threads=tuple(script for script in scripts if script))

    def _with(self, **changed: Any) -> "ParallelProgram":
        return ParallelProgram(**{"hook": self.hook, "before": self.before, "threads": self.threads, **changed})


def _check(script: Any) -> None:
    if not isinstance(script, list):
        raise ValueError("every script of the program must be a list of steps")
    for step in script:
        if step not in STEPS:
            raise ValueError(f"the program has the step {step!r}; a step is one of {', '.join(STEPS)}")


def _one_less(script: Script) -> Iterator[Script]:
    """Without one step, the last first."""
    for at in reversed(range(len(script))):
        yield script[:at] + script[at + 1 :]


def programs() -> st.SearchStrategy[ParallelProgram]:
    """What Hypothesis draws."""
    steps = st.sampled_from([step for step in STEPS for _ in range(_weight(step))])
    return st.builds(
        ParallelProgram,
        hook=st.sampled_from(HOOKS),
        before=st.lists(steps, max_size=4),
        threads=st.lists(st.lists(steps, min_size=1, max_size=5), min_size=2, max_size=4),
    )


def _weight(step: str) -> int:
    """So that each operation comes as often as OFTEN says, however many arguments it may have."""
    name = step.partition(" ")[0]
    return 15 * OFTEN.get(name, 1) // len(ARGUMENTS[name] or ("",))
