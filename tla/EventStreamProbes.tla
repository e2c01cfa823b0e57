------------------------- MODULE EventStreamProbes -------------------------
(* Each probe denies a state that can be reached, so that the checker has   *)
(* to show it: a stream may come to it, and no check forbids it.            *)
EXTENDS EventStreamChecks

(* Every end, with a conversation and a child that has not ended (SUB-1).   *)
StreamCompletedReach == ~(ended = "run-completed" /\ committed # <<>> /\ \E a \in Agents : ~child[a].over)
StreamFailedReach    == ended # "run-failed"
StreamCancelledReach == ended # "run-cancelled"

(* Decision 10: the run ends with an operation open, and one undelivered.   *)
OpsOutstandingReach == ~(ended # "no" /\ started # <<>> /\ waiting # {})

(* A stream without any turn at all.                                        *)
NoTurnReach == ~(ended = "run-completed" /\ round = 0)

(* FRAME-2, VIEW-2: a retry has streamed less than what failed.             *)
RetriedReach == ~(attempt = 2 /\ turn = "attempt" /\ view.streaming = <<>> /\ committed # <<>>)

(* FRAME-4: the turn-committed comes first, the text is still in the scope. *)
MarkedReach == ~(turn = "marked" /\ view.streaming # <<>>)

(* VIEW-4: the message has no text though tokens were streamed.             *)
NoTextReach == ~(view.conversation = << <<>> >>)

(* VIEW-3: a turn was discarded, and the run is completed all the same.     *)
DiscardedReach == ~(turn = "none" /\ attempt = 1 /\ committed = <<>> /\ round > 0 /\ ended = "run-completed")

(* VIEW-7: a call is unknown, and another one with the same end is not.     *)
UnknownReach == ~(\E c \in Calls : view.calls[c] = "unknown" /\ \E d \in Calls : view.calls[d] = "not-run")

(* PARK-1: operations settle while the run is parked.                       *)
SettledParkedReach == ~(parked /\ inventory # started)

(* PARK-1: the inventory is in the order of the starts, not of the ids.     *)
OrderReach == ~(parked /\ inventory = <<2, 1>>)

(* SUB-1: a child is restarted, after its terminal and without one.         *)
RestartedReach == ~(\E a \in Agents : child[a].run = 2)

(* SUB-3, VIEW-6: a child has ended in the middle of the parent's sentence. *)
ChildEndedFirstReach == ~(view.streaming # <<>> /\ \E a \in Agents : child[a].over)
============================================================================
