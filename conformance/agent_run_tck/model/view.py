"""What a client can see of a run at rest: of an implementation, and of a state of the model."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from attrs import frozen

from agent_run_tck.model.contract import State

if TYPE_CHECKING:
    from agent_run_tck.callbacks import Callback
    from agent_run_tck.driven import DrivenRun


@frozen
class TapView:
    """The seqs that a tap was handed, and whether it was told done."""

    seen: tuple[int | None, ...]
    done: bool

    def __str__(self) -> str:
        return f"{list(self.seen)}{' and done' if self.done else ''}"

    def may_become(self, later: "TapView") -> bool:
        return self.done <= later.done and self.seen == later.seen[: len(self.seen)]


@frozen
class View:
    """One moment of a run. The names are those of the model's variables."""

    closed: bool
    result: str
    cancelled: bool
    drained: bool
    hook_called: bool
    taps: tuple[TapView, ...]

    def may_become(self, later: "View") -> bool:
        """Whether waiting may lead from this view to the later one: nothing that was seen is ever taken back."""
        return (
            self.closed <= later.closed
            and self.result in ("planned", later.result)
            and self.cancelled <= later.cancelled
            and self.drained <= later.drained
            and self.hook_called <= later.hook_called
            and all(now.may_become(then) for now, then in zip(self.taps, later.taps, strict=True))
        )

    def items(self) -> dict[str, object]:
        """What can be seen, by the name that a message calls it."""
        return {
            "is_done": self.closed,
            "the result": self.result,
            "is_cancelled": self.cancelled,
            "drained": "kept" if self.drained else "planned",
            "the hook": "called" if self.hook_called else "not called",
            **{f"what tap {number} was handed": tap for number, tap in enumerate(self.taps, 1)},
        }


REQUIREMENTS = {
    "is_done": "IDENT-2",
    "the result": "RESULT-1, RESULT-4, RESULT-8",
    "is_cancelled": "IDENT-3, CANCEL-1, CANCEL-6",
    "drained": "DRAIN-1 to DRAIN-5",
    "the hook": "CANCEL-1, CANCEL-6",
}
OF_TAPS = "STREAM-1 to STREAM-8, STREAM-13, STREAM-16"


def view_of_state(state: State) -> View:
    return View(
        closed=state.closed,
        result=state.result,
        cancelled=state.cancelled,
        drained=state.drained,
        hook_called=state.hook in ("running", "returned"),
        taps=tuple(TapView(tap.seen, tap.done) for tap in state.tap),
    )


def view_of_run(run: "DrivenRun", hook: "Callback") -> View:
    seen, result = run.look()
    for subscriber in run.subscribers.values():
        assert not subscriber.quit, f"the stream ended in an error for {subscriber.name} (STREAM-5)"
        assert subscriber.done <= 1, f"{subscriber.name} was told done {subscriber.done} times (STREAM-4)"
    assert len(hook.calls) <= 1, f"the hook was called {len(hook.calls)} times (CANCEL-1, CANCEL-2)"
    return View(
        closed=seen.is_done,
        result=result["outcome"] if seen.result == "kept" else seen.result,
        cancelled=seen.is_cancelled,
        drained=seen.drained == "kept",
        hook_called=bool(hook.calls),
        taps=tuple(TapView(tuple(each.seqs), bool(each.done)) for each in run.subscribers.values()),
    )


def difference(seen: View, allowed: Iterable[View]) -> str:
    """In one line, where what was seen differs from the allowed view that is nearest to it."""
    nearest = min(allowed, key=lambda view: len(differing(seen, view)))
    return "; ".join(
        f"{name} is {seen.items()[name]}, but must be {nearest.items()[name]} ({REQUIREMENTS.get(name, OF_TAPS)})"
        for name in differing(seen, nearest)
    )


def differing(seen: View, allowed: View) -> list[str]:
    return [name for name, value in seen.items().items() if allowed.items()[name] != value]
