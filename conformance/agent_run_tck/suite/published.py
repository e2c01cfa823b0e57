"""What a subscriber must have been handed once the run is over."""

from agent_run_tck.callbacks import Subscriber
from agent_run_tck.case import Case


def assert_published(case: Case, subscriber: Subscriber, *kinds: str) -> None:
    """Wait for done; the whole stream must be just these kinds, with the seqs 0, 1, 2 and so on."""
    case.eventually(lambda: subscriber.done, f"{subscriber.name} gets done")
    assert subscriber.kinds == list(kinds), (
        f"published are {', '.join(subscriber.kinds)}; it must be {', '.join(kinds)} and nothing else"
    )
    assert subscriber.seqs == list(range(len(kinds))), (
        f"the seqs are {subscriber.seqs}; they must count 0, 1, 2, because only an accepted event takes one"
    )
