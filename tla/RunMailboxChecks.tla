-------------------------- MODULE RunMailboxChecks --------------------------
(* What the mailbox algorithm has to fulfil: that it is an implementation   *)
(* of Run, and what Run cannot say because it has neither threads nor a     *)
(* lock.                                                                    *)
EXTENDS RunMailbox

(* Where the contract sees a tap. *)
Phase(t) ==
    CASE tap[t].late \/ tap[t].dones > 0 -> "over"
      [] tap[t].closed                   -> "closed"
      [] OTHER                           -> "live"

InCallback(t) == \E u \in Publishers : task[u].at = "event" /\ Head(task[u].left) = t

C == INSTANCE Run WITH
    closed    <- IsDone,
    result    <- result,
    log       <- [i \in DOMAIN log |-> log[i].what],
    sections  <- sections,
    drained   <- IsDrained,
    claimed   <- claimed,
    cancelled <- IsCancelled,
    hook      <- hook,
    tap       <- [t \in DOMAIN tap |->
                    [phase |-> Phase(t), at |-> tap[t].at, seen |-> tap[t].seen,
                     parked |-> InCallback(t), done |-> tap[t].dones > 0]]

(* Every step is a step of the contract, or none.                           *)
(* IDENT-2, IDENT-3, RESULT-1, RESULT-4, RESULT-8, STREAM-1 to STREAM-4,    *)
(* STREAM-7, STREAM-12, STREAM-13, EMIT-1, EMIT-2, FINISH-1, FINISH-3,      *)
(* CANCEL-1, CANCEL-6, DRAIN-1 to DRAIN-4, WORK-2, WORK-3                   *)
RefinesProp == C!Safety
----------------------------------------------------------------------------
(* State invariants *)

Steps == {"stamp", "section", "keepDrained", "keepCancellation", "hook", "inHook", "release", "leave",
          "wake", "wakeSection", "start", "look", "takeConts", "startConts", "inConts", "end"}

TypeOK ==
    /\ lock \in {Free} \cup Callers \cup Publishers
    /\ kept \in [Promises -> Nat] /\ result \in Outcomes \cup {"planned"}
    /\ {open, sections, hookCalls, nextSeq, refusals} \subseteq Nat
    /\ {hold, due, claimed, over, publishing} \subseteq BOOLEAN
    /\ hook \in {"unset", "idle", "due", "running", "returned"}
    /\ \A i \in DOMAIN log : log[i].what \in Outcomes \cup {"event"} /\ log[i].by \in Callers
    /\ \A i \in DOMAIN mailbox : mailbox[i].what \in Outcomes \cup {"event"}
    /\ \A i \in DOMAIN members : members[i] \in DOMAIN tap
    /\ DOMAIN tap \subseteq Taps
    /\ \A u \in Publishers : task[u].at \in {"none", "take", "letGo", "hand", "event", "handDone", "done"}
    /\ \A p \in Callers :
        /\ pc[p] \in Steps /\ about[p] \in Promises /\ taken[p] \subseteq Callers
        /\ Len(replies[p]) <= Len(Script[p])
        /\ conts[p] \in {"none", "waiting", "taken", "running", "returned"}

(* LEAF-1 to LEAF-5: whoever runs foreign code does not hold the lock.  So  *)
(* no thread ever holds the locks of two runs (LEAF-4).                     *)
LeafInv == lock \notin InForeignCode

(* STREAM-10, STREAM-11: the baton is with one publisher, or with the one   *)
(* caller that is about to start it, or with nobody.                        *)
BatonInv ==
    LET holders == {u \in Publishers : task[u].at # "none"} \cup {p \in Callers : pc[p] = "start"}
    IN  Cardinality(holders) = IF publishing THEN 1 ELSE 0

(* EMIT-2: the seqs are contiguous from 0, in the order of acceptance.      *)
SeqInv == nextSeq = Len(log) /\ \A i \in DOMAIN log : log[i].seq = i - 1

(* STREAM-6, FINISH-3: a terminal exactly when the run is closed, as last.  *)
LastInv ==
    /\ IsDone <=> \E i \in DOMAIN log : IsTerminal(log[i])
    /\ \A i \in DOMAIN log : IsTerminal(log[i]) => i = Len(log)

(* STREAM-4, STREAM-7, STREAM-16: what a tap was handed has no gap, no      *)
(* double and no change of order; done comes once and right after the       *)
(* terminal.                                                                *)
HandedInv ==
    \A t \in DOMAIN tap :
        LET seen == tap[t].seen IN
        /\ \A i \in 1..(Len(seen) - 1) : seen[i + 1] = seen[i] + 1
        /\ tap[t].dones <= 1
        /\ tap[t].dones = 1 => IsDone /\ seen # <<>> /\ seen[Len(seen)] = Len(log) - 1

(* DRAIN-1, DRAIN-3, DRAIN-4, DRAIN-8, WORK-6, decision 7: never early.     *)
DrainedInv == IsDrained => IsDone /\ sections = 0

(* CANCEL-1, CANCEL-2, CANCEL-9: once.                                      *)
HookOnceInv == hookCalls <= 1

(* CANCEL-7: the cancellation is kept before the hook is called.            *)
HookOrderInv == hookCalls > 0 => IsCancelled

(* RESULT-1, CANCEL-9, DRAIN-6, DRAIN-8: no promise is kept twice.          *)
KeptOnceInv == \A promise \in Promises : kept[promise] <= 1

(* PROMISE-1: at most once, and only with the value there.                  *)
ContinuationInv ==
    \A k \in Callers :
        /\ calls[k] <= 1
        /\ calls[k] > 0 => kept[Subject[ThenOf(k)]] > 0

(* EMIT-1, EMIT-3, EMIT-4, EMIT-9, EMIT-10, EMIT-11, FINISH-1, FINISH-2,    *)
(* FINISH-4, FINISH-5, WORK-1: a true has its event, in the order of the    *)
(* calls of its thread, a false has none and finds the run done.            *)
RepliesInv ==
    \A p \in Callers : \A n \in DOMAIN replies[p] :
        LET reply    == replies[p][n]
            accepted == {i \in DOMAIN log : log[i].by = p /\ log[i].call = n}
        IN  /\ reply = "false" => IsDone
            /\ Script[p][n] \in {"emit"} \cup Finishes => Cardinality(accepted) = IF reply = "true" THEN 1 ELSE 0
            /\ Script[p][n] \in Wrong => reply = "refused" /\ accepted = {}
            /\ \A i \in accepted : \A j \in DOMAIN log : log[j].by = p /\ log[j].call < n => j < i

(* A work_done that has a section to end.                                   *)
Paired(p, n) ==
    /\ Script[p][n] = "work_done"
    /\ ~\E i \in 1..(n - 1) : Script[p][i] = "work_begin" /\ replies[p][i] = "false"

(* CANCEL-1, STREAM-16, WORK-2: what has returned has had its effect, and a *)
(* section ends within the call of its work_done.  Which of several calls   *)
(* is the stray one nobody knows: with one about, the count is left alone.  *)
EffectsInv ==
    LET returned == UNION {{<<p, n>> : n \in DOMAIN replies[p]} : p \in Callers}
        op(call) == Script[call[1]][call[2]]
        granted  == {call \in returned : op(call) = "work_begin" /\ replies[call[1]][call[2]] = "true"}
        done     == {call \in returned : Paired(call[1], call[2])}
        pending  == {p \in Callers : pc[p] # "end" /\ Paired(p, Len(replies[p]) + 1)}
        ended    == Cardinality(granted) - sections
        stray    == \E p \in Callers : \E n \in DOMAIN Script[p] : Script[p][n] = "stray_work_done"
    IN  /\ \A call \in returned :
            /\ op(call) = "cancel" => claimed \/ IsDone
            /\ op(call) \in DOMAIN Closing => tap[Closing[op(call)]].closed
        /\ ~stray => ended \in Cardinality(done)..(Cardinality(done) + Cardinality(pending))

(* REC-1: drained also says that no hook is due or running.                 *)
HookHeldInv == Recommended /\ IsDrained => hook \notin {"due", "running"}

(* REC-2: an accepted cancel is seen by everybody who comes after it; so it *)
(* is seen when any cancel has returned, and from the end of the run on.    *)
CancelSeenInv == Recommended /\ lock = Free /\ claimed => IsCancelled
----------------------------------------------------------------------------
(* Properties of behaviours, under Fairness.  Scripts end, so "sooner or    *)
(* later" is the same as "from some moment on".                             *)

(* EMIT-1, EMIT-9, STREAM-1, STREAM-7 to STREAM-9: what is accepted reaches *)
(* every live tap, unless a subscriber is parked for ever.                  *)
PublishesProp == C!DeliversProp

(* STREAM-4, STREAM-5, STREAM-8, STREAM-13: a closed run ends its taps,     *)
(* unless a subscriber is parked for ever.                                  *)
FinishesProp == C!EndsProp

(* DRAIN-2, DRAIN-4, DRAIN-5, DRAIN-8: closed, with no section and no hook  *)
(* out, is drained, whoever is parked.                                      *)
DrainsInTimeProp == C!DrainsProp

(* CANCEL-1, CANCEL-10, CANCEL-12: an accepted cancel keeps the             *)
(* cancellation and calls the hook, whoever is parked.                      *)
CallsHookProp == C!CancelsProp

(* EMIT-1, FINISH-7, CANCEL-11, STREAM-9, STREAM-10, STREAM-16, PROMISE-3,  *)
(* LEAF-1 to LEAF-3: every call returns, whoever is parked; only the cancel *)
(* that won waits for its hook.                                             *)
ReturnsProp == <>[](\A p \in Callers : InProgress(Within[p]) => pc[p] \in {"end", "inHook"})

(* PROMISE-1, PROMISE-3: a continuation is called once its promise is kept, *)
(* whoever is parked.                                                       *)
ContinuesProp ==
    <>[](\A k \in Callers : conts[k] \in {"waiting", "taken"} => kept[Subject[ThenOf(k)]] = 0)
=============================================================================
