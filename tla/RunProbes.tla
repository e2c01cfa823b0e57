----------------------------- MODULE RunProbes -----------------------------
(* Each probe denies a state that can be reached, so that the checker has   *)
(* to show it: the contract allows it on purpose, and no check forbids it.  *)
EXTENDS Run

CompletedReach  == result # "completed"
FailedReach     == result # "failed"
CancelledReach  == result # "cancelled"

(* FINISH-6: the outcome does not follow from cancellation, either way.     *)
CancelledUnaskedReach    == ~(result = "cancelled" /\ ~claimed)
CompletedThoughAskedReach == ~(result = "completed" /\ cancelled)

(* Decisions 3 and 17: between the claim and the keeping.                   *)
ClaimedNotKeptReach == ~(claimed /\ ~cancelled)

(* Decision 27: the cancellation is kept after the result.                  *)
CancelledAfterResultReach == ~(closed /\ claimed /\ ~cancelled)

(* Decision 2: the hook has yet to start on a closed run.                   *)
HookAfterCloseReach == ~(closed /\ cancelled /\ hook = "due")

(* Decision 27: drained does not tell that the hook has returned.           *)
DrainedHookOutReach == ~(drained /\ hook = "running")

(* Decision 17: a finish with no section open, drained not yet kept.        *)
DrainPendingReach == ~(closed /\ sections = 0 /\ ~drained)

(* DRAIN-5, decision 1: drained though events are not published.            *)
DrainedUnpublishedReach == ~(drained /\ \E t \in DOMAIN tap : tap[t].parked /\ tap[t].at < Len(log))

(* DRAIN-3: done though drained is not kept.                                *)
DoneNotDrainedReach == ~(~drained /\ \E t \in DOMAIN tap : tap[t].done)

(* STREAM-3: a later tap gets nothing at all.                               *)
NothingReach == ~(Len(tap) > 1 /\ tap[2].phase = "over" /\ ~tap[2].done)

(* STREAM-2, STREAM-13, decision 19: a later tap gets the end only.         *)
EndOnlyReach == ~(Len(tap) > 1 /\ tap[2].done /\ tap[1].done /\ Len(tap[2].seen) = 1 /\ Len(log) > 1)

(* Decision 8: what nobody was tapped for is dropped, or it is kept.        *)
DroppedReach == ~(Len(tap) > 1 /\ tap[1].phase = "closed" /\ tap[2].at > tap[1].at /\ tap[2].seen = <<>>)
BufferedReach == ~(Len(tap) > 1 /\ tap[1].phase = "closed" /\ tap[2].seen = <<1>> /\ tap[1].seen = <<0>>)

(* STREAM-16: a tap is closed while its callback is in progress.            *)
ClosedInCallbackReach == ~(\E t \in DOMAIN tap : tap[t].phase = "closed" /\ tap[t].parked)

(* The end of everything.                                                   *)
AllOverReach == ~(drained /\ hook = "returned" /\ Len(tap) > 1 /\ tap[1].done /\ tap[2].done)
=============================================================================
