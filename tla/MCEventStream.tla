--------------------------- MODULE MCEventStream ---------------------------
(* Bounds for EventStream, and a name of its own for every record and       *)
(* argument: the names are the labels of the exported graph.  A label is    *)
(* the name of a definition that is a conjunction; that is why a definition *)
(* here always is one.                                                      *)
EXTENDS EventStreamProbes

CONSTANTS
    MaxRounds,     \* rounds
    MaxAttempts,   \* attempts of a round
    MaxTokens,     \* tokens of an attempt
    MaxRuns,       \* runs of a child: 2 is one restart
    MaxRecords     \* records of a run of a child

RoundStartedWithin             == round < MaxRounds /\ RoundStarted
AttemptStartedWithin           == attempt < MaxAttempts /\ AttemptStarted
AttemptOfNextRoundWithin       == round < MaxRounds /\ 0 < MaxAttempts /\ AttemptOfNextRound
TokenWithin                    == Len(streamed) < MaxTokens /\ Token
AssistantMessageWithText       == TRUE /\ AssistantMessage(IF streamed = <<>> THEN Unstreamed ELSE streamed)
AssistantMessageWithoutText    == TRUE /\ AssistantMessage(<<>>)
TurnDiscardedLimit             == TRUE /\ TurnDiscarded("limit")
TurnDiscardedFailed            == TRUE /\ TurnDiscarded("failed")
TurnDiscardedCancelled         == TRUE /\ TurnDiscarded("cancelled")

ToolCall1                      == 1 \in Calls /\ ToolCall(1)
ToolStarted1                   == 1 \in Calls /\ ToolStarted(1)
ToolProgress1                  == 1 \in Calls /\ ToolProgress(1)
ToolResultGood1                == 1 \in Calls /\ ToolResult(1, FALSE)
ToolResultError1               == 1 \in Calls /\ ToolResult(1, TRUE)
ToolAbandonedUndispatched1     == 1 \in Calls /\ ToolAbandoned(1, FALSE)
ToolAbandonedDispatched1       == 1 \in Calls /\ ToolAbandoned(1, TRUE)
ToolCall2                      == 2 \in Calls /\ ToolCall(2)
ToolStarted2                   == 2 \in Calls /\ ToolStarted(2)
ToolProgress2                  == 2 \in Calls /\ ToolProgress(2)
ToolResultGood2                == 2 \in Calls /\ ToolResult(2, FALSE)
ToolResultError2               == 2 \in Calls /\ ToolResult(2, TRUE)
ToolAbandonedUndispatched2     == 2 \in Calls /\ ToolAbandoned(2, FALSE)
ToolAbandonedDispatched2       == 2 \in Calls /\ ToolAbandoned(2, TRUE)

BackgroundOpStarted1           == 1 \in Ops /\ BackgroundOpStarted(1)
BackgroundOpSettledCollected1  == 1 \in Ops /\ BackgroundOpSettled(1, TRUE)
BackgroundOpSettledOwed1       == 1 \in Ops /\ BackgroundOpSettled(1, FALSE)
BackgroundOpDelivered1         == 1 \in Ops /\ BackgroundOpDelivered(1)
BackgroundOpStarted2           == 2 \in Ops /\ BackgroundOpStarted(2)
BackgroundOpSettledCollected2  == 2 \in Ops /\ BackgroundOpSettled(2, TRUE)
BackgroundOpSettledOwed2       == 2 \in Ops /\ BackgroundOpSettled(2, FALSE)
BackgroundOpDelivered2         == 2 \in Ops /\ BackgroundOpDelivered(2)

ChildBegins1                   == 1 \in Agents /\ child[1].run < MaxRuns /\ ChildBegins(1)
ChildGoesOn1                   == 1 \in Agents /\ child[1].seq < MaxRecords /\ ChildGoesOn(1)
ChildEnds1                     == 1 \in Agents /\ ChildEnds(1)
ChildBegins2                   == 2 \in Agents /\ child[2].run < MaxRuns /\ ChildBegins(2)
ChildGoesOn2                   == 2 \in Agents /\ child[2].seq < MaxRecords /\ ChildGoesOn(2)
ChildEnds2                     == 2 \in Agents /\ ChildEnds(2)

RunCompleted                   == TRUE /\ Terminal("run-completed")
RunFailed                      == TRUE /\ Terminal("run-failed")
RunCancelled                   == TRUE /\ Terminal("run-cancelled")

MCNext ==
    \/ Over
    \/ RoundStartedWithin \/ AttemptStartedWithin \/ AttemptOfNextRoundWithin \/ TokenWithin \/ AttemptFailed \/ AttemptSucceeded
    \/ AssistantMessageWithText \/ AssistantMessageWithoutText \/ TurnCommitted
    \/ TurnDiscardedLimit \/ TurnDiscardedFailed \/ TurnDiscardedCancelled
    \/ ToolCall1 \/ ToolStarted1 \/ ToolProgress1 \/ ToolResultGood1 \/ ToolResultError1
    \/ ToolAbandonedUndispatched1 \/ ToolAbandonedDispatched1
    \/ ToolCall2 \/ ToolStarted2 \/ ToolProgress2 \/ ToolResultGood2 \/ ToolResultError2
    \/ ToolAbandonedUndispatched2 \/ ToolAbandonedDispatched2
    \/ BackgroundOpStarted1 \/ BackgroundOpSettledCollected1 \/ BackgroundOpSettledOwed1 \/ BackgroundOpDelivered1
    \/ BackgroundOpStarted2 \/ BackgroundOpSettledCollected2 \/ BackgroundOpSettledOwed2 \/ BackgroundOpDelivered2
    \/ RunParked \/ RunResumed \/ Log
    \/ ChildBegins1 \/ ChildGoesOn1 \/ ChildEnds1 \/ ChildBegins2 \/ ChildGoesOn2 \/ ChildEnds2
    \/ RunCompleted \/ RunFailed \/ RunCancelled

MCSafety == Init /\ [][MCNext]_vars
MCSpec   == MCSafety /\ Fairness

(* The names above add nothing to what EventStream allows.                  *)
OnlyStreamProp == [][Next]_vars
============================================================================
