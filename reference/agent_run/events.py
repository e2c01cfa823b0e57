"""The 29 kinds of the taxonomy, one class each, in its order and with its fields.

Arguments are keywords: the wire names with underscores for hyphens. A field without a default is required;
None stands for an optional one that is not supplied. `Event` says what all of them promise.
Serves EVENT-1, EVENT-2, EVENT-3, EVENT-4, EVENT-6, EVENT-7, EVENT-13, EVENT-16.
"""

from typing import Literal

import attrs

from agent_run.envelope import KINDS, OMITTED_WHEN_EMPTY, Event, JsonArray, JsonObject, Number, event, make
from agent_run.envelope import order as order
from agent_run.envelope import stamp as stamp

# A star import must not bring names as bare as Log.
__all__ = ["KINDS", "TERMINAL_KINDS", "Event", "make"]


@event("run-started")
class RunStarted(Event):
    """The run begins, with so many messages in its context."""

    message_count: int
    context_digest: str | None = None


@event("round-started")
class RoundStarted(Event):
    """A round of the loop begins; rounds count from 1."""

    round: int
    tokens: int | None = None


@event("attempt-started")
class AttemptStarted(Event):
    """A backend is asked; attempts count from 1 within their round."""

    round: int
    attempt: int
    backend_index: int
    model: str


@event("token")
class Token(Event):
    """A piece of streamed text, which belongs to the attempt that is open."""

    text: str
    round: int | None = None
    attempt: int | None = None


@event("attempt-failed")
class AttemptFailed(Event):
    """The attempt failed, and what it streamed is void."""

    round: int
    attempt: int
    backend_index: int
    model: str | None = None
    error: str
    error_class: str | None = None
    error_status: int | None = None
    disposition: Literal["retry-same", "advance", "abort"]
    backoff: Number | None = None
    usage: JsonObject | None = attrs.field(default=None, metadata=OMITTED_WHEN_EMPTY)


@event("attempt-succeeded")
class AttemptSucceeded(Event):
    """The attempt was answered in full, which commits nothing yet."""

    round: int
    attempt: int
    backend_index: int
    model_used: str | None = None
    finish_reason: str | None = None
    usage: JsonObject = attrs.field(factory=dict)
    latency_ms: int | None = None


@event("assistant-message")
class AssistantMessage(Event):
    """The committed message, which replaces what was streamed."""

    message: JsonObject
    reasoning: str | None = None
    round: int | None = None


@event("turn-committed")
class TurnCommitted(Event):
    """The turn is part of the conversation."""

    message_id: str | None = None
    round: int | None = None


@event("tool-call")
class ToolCall(Event):
    """The model proposes a call of a tool."""

    id: str
    name: str
    arguments: str | JsonObject | None = None
    round: int | None = None


@event("tool-started")
class ToolStarted(Event):
    """The call was handed to the tool."""

    id: str
    name: str
    round: int | None = None


@event("tool-progress")
class ToolProgress(Event):
    """The tool reports how far it is."""

    id: str
    progress: Number
    total: Number | None = None
    message: str | None = None
    round: int | None = None


@event("tool-result")
class ToolResult(Event):
    """The tool answered; `content` is what the model is given."""

    id: str
    name: str | None = None
    content: str
    is_error: bool = False
    artifact: JsonObject | None = attrs.field(default=None, metadata=OMITTED_WHEN_EMPTY)
    round: int | None = None


@event("tool-abandoned")
class ToolAbandoned(Event):
    """The call is given up; once dispatched, its outcome is unknown."""

    id: str
    name: str
    reason: Literal["cancelled", "deadline", "budget-exhausted"]
    dispatched: bool
    round: int | None = None


@event("subagent")
class Subagent(Event):
    """The plain form of a child's event; never terminal, whatever it wraps."""

    agent_id: str
    agent_type: str
    label: str | None = None
    call_id: str | None = None
    inner: JsonObject


@event("background-op-started")
class BackgroundOpStarted(Event):
    """An operation goes on in the background."""

    op_id: str
    op_kind: str
    label: str | None = None
    call_id: str | None = None
    round: int | None = None


@event("background-op-settled")
class BackgroundOpSettled(Event):
    """The operation is over; `collected` tells that its answer was already taken."""

    op_id: str
    op_kind: str
    collected: bool = False
    round: int | None = None


@event("background-op-delivered")
class BackgroundOpDelivered(Event):
    """The answer of an operation reached the conversation."""

    op_kind: str
    op_id: str | None = None
    message_id: str | None = None
    round: int | None = None


@event("run-parked")
class RunParked(Event):
    """The run waits for operations; `ops` lists them in the order of opening."""

    outstanding: int
    ops: JsonArray = ()
    round: int | None = None


@event("run-resumed")
class RunResumed(Event):
    """The run goes on after a park."""

    reason: Literal["completion", "steer", "cancelled", "idle"]
    parked_seconds: Number | None = None
    round: int | None = None


@event("ask-pending")
class AskPending(Event):
    """Somebody is asked for a decision."""

    request: JsonObject
    tool: str | None = None


@event("ask-answered")
class AskAnswered(Event):
    """The request is answered; an answer of None counts as not supplied."""

    request: JsonObject
    answer: object = None


@event("log")
class Log(Event):
    """A line for the log."""

    level: str
    logger: str | None = None
    data: str | JsonObject


@event("limit-reached")
class LimitReached(Event):
    """A limit of the loop is reached."""

    limit: str
    count: int | None = None
    max: int | None = None


@event("turn-discarded")
class TurnDiscarded(Event):
    """The turn is not part of the conversation; what it streamed is void."""

    reason: Literal["limit", "failed", "cancelled"]
    round: int | None = None


@event("compaction-started")
class CompactionStarted(Event):
    """The context is about to be shortened."""

    tokens_before: int | None = None
    budget: int | None = None
    message_count: int | None = None
    round: int | None = None


@event("compaction-done")
class CompactionDone(Event):
    """The context was shortened."""

    tokens_before: int | None = None
    tokens_after: int | None = None
    dropped: int | None = None
    summary: str | None = None
    fallback: bool = False
    round: int | None = None


@event("run-completed", terminal=True)
class RunCompleted(Event):
    """Terminal: the run ended with an answer."""

    final: str = ""
    rounds: int | None = None
    message_count: int | None = None


@event("run-failed", terminal=True)
class RunFailed(Event):
    """Terminal: the run ended without one."""

    error: str
    attempts: JsonArray = ()
    round: int | None = None
    reason: str | None = None


@event("run-cancelled", terminal=True)
class RunCancelled(Event):
    """Terminal: the run was cancelled at this stage."""

    stage: str | None = None
    round: int | None = None


TERMINAL_KINDS: frozenset[str] = frozenset(kind for kind, cls in KINDS.items() if cls.is_terminal)
