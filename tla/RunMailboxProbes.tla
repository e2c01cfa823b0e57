-------------------------- MODULE RunMailboxProbes --------------------------
(* Each probe denies a state of the algorithm that may surprise and can be  *)
(* reached, so that the checker has to show how.  The comment says what the *)
(* decision on it is; FINDINGS.md has the shortest way there.               *)
EXTENDS RunMailboxChecks

Returned(ops, reply) == \E p \in Callers : \E n \in DOMAIN replies[p] : Script[p][n] \in ops /\ replies[p][n] = reply
FinishReturned == Returned(Finishes, "true")
HookIsOut      == hook \in {"due", "running"}
Under(op)      == {p \in Callers : pc[p] # "end" /\ Op(p) = op}

(* Decision 2: the hook has yet to start though finish has returned.  Allowed: the hook is owed. *)
HookOwedReach == ~(hook = "due" /\ FinishReturned)

(* Decision 27: drained is kept though the hook is due or running.  Allowed, but REC-1 recommends against it. *)
HookOutDrainedReach == ~(IsDrained /\ HookIsOut)

(* Decision 27: the cancellation is kept after finish has returned.  Allowed, but REC-2 recommends against it. *)
KeptAfterFinishReach == ~(FinishReturned /\ claimed /\ ~IsCancelled)

(* Decision 17: a cancel is accepted and is_cancelled is still false.  Allowed until that cancel returns. *)
ClaimedFirstReach == ~(claimed /\ ~IsCancelled /\ lock = Free)

(* Decision 3: a cancel that lost returns before is_cancelled is true.  Allowed, but REC-2 recommends against it. *)
LostCancelFirstReach == ~(Returned({"cancel"}, "none") /\ claimed /\ ~IsCancelled /\ ~IsDone)

(* Decision 4: the outcome is cancelled though nobody cancelled.  Allowed: the driver names the outcome. *)
OutcomeUnaskedReach == ~(result = "cancelled" /\ ~claimed)

(* Decision 4: the outcome is completed though somebody did cancel.  Allowed: the first finish wins. *)
OutcomeDespiteCancelReach == ~(result = "completed" /\ IsCancelled)

(* Decision 1: drained is kept though a tap has yet to be handed events.  Allowed: drained is not delivery. *)
DrainedBacklogReach == ~(IsDrained /\ mailbox # <<>> /\ members # <<>>)

(* Decision 1: done is said though drained is not kept.  Allowed: delivery is not drained either. *)
DoneUndrainedReach == ~(sections > 0 /\ IsDone /\ \E t \in DOMAIN tap : tap[t].dones > 0)

(* Decision 17: finish has returned, no section and no hook is open, and drained is not kept.  Allowed for a moment: a
   racing work_done is about to keep it. *)
DrainComingReach == ~(FinishReturned /\ sections = 0 /\ ~HookIsOut /\ ~IsDrained)

(* Decision 29: drained is kept while an emit that was accepted is on its way out.  Allowed: only sections hold it. *)
DrainedEmitOutReach == ~(IsDrained /\ \E p \in Under("emit") : pc[p] \in {"wake", "wakeSection", "start"})

(* Decision 18: a subscriber is told done before finish has returned.  Allowed: they are on different threads. *)
DoneBeforeReturnReach == ~(~FinishReturned /\ \E t \in DOMAIN tap : tap[t].dones > 0)

(* Decision 25: a stray work_done lets drained be kept with a section open.  Allowed: it may take one of the counts. *)
StrayDrainedReach == ~(IsDrained /\ \E p \in Under("work_done") : ~Refused(p))

(* Decision 8: an event is dropped while the only tap is being closed.  Allowed: nobody is tapped for it. *)
DroppedWhileClosingReach ==
    ~(/\ \A u \in Publishers : task[u].at = "none"
      /\ \E p \in Under("close_1") : pc[p] = "leave" /\ Len(tap) = 1
      /\ Len(log) - Len(mailbox) > tap[1].at)

(* Decision 19: a tap that is made before another is told done gets nothing at all.  Allowed: never half an end. *)
NothingForLateTapReach == ~(\E t \in DOMAIN tap : tap[t].late /\ \A s \in DOMAIN tap : tap[s].dones = 0 /\ ~tap[s].closed)

(* Decision 27: the crew had no thread, every call has returned, and an accepted event waits.  Allowed, by REC-3: the
   next operation tries again. *)
NoThreadReach == ~(mailbox # <<>> /\ members # <<>> /\ ~publishing /\ \A p \in Callers : pc[p] = "end")
=============================================================================
