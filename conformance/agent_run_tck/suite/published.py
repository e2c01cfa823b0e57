"""What a subscriber must have been handed once the run is over."""

from agent_run_tck.callbacks import Subscriber
from agent_run_tck.case import Case
from agent_run_tck.driven import DrivenRun


def assert_published(case: Case, subscriber: Subscriber, *kinds: str) -> None:
    """Wait for done; the whole stream must be just these kinds."""
    case.eventually(lambda: subscriber.done, f"{subscriber.name} gets done")
    assert subscriber.kinds == list(kinds), (
        f"published are {', '.join(subscriber.kinds)}; it must be {', '.join(kinds)} and nothing else"
    )


def assert_no_seq_lost(subscriber: Subscriber) -> None:
    """The seqs must follow one another without a gap, wherever they begin."""
    seqs = subscriber.seqs
    first = seqs[0] or 0
    assert seqs == list(range(first, first + len(seqs))), (
        f"the seqs are {seqs}; each must be the one before plus one: only an accepted event takes a seq"
    )


def assert_held(case: Case, run: DrivenRun, why: str) -> None:
    """A finished run whose drained must stay planned for now."""
    assert run.is_done, "the run must be done: its finish was accepted"
    case.never(lambda: run.drained.status == "kept", f"drained is kept though {why}")
