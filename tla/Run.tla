-------------------------------- MODULE Run --------------------------------
(* The contract of the handle on one agent run, as a client sees it.        *)
(*                                                                          *)
(* A client action is the moment at which one operation takes effect.  Its  *)
(* argument reply is what the operation answers; cancel and work_done       *)
(* answer nothing, and there the argument tells the two cases apart.  An    *)
(* internal action is a step that the run takes on its own.  Publication is *)
(* modelled per tap, because the contract leaves open whether taps share a  *)
(* publisher (decision 5).  An event is known by its seq: its 0-based place *)
(* in log.                                                                  *)
EXTENDS Naturals, Sequences

CONSTANT Taps      \* the numbers that taps may get: 1, 2, ... in the order of being made

VARIABLES
    closed,        \* a finish has been accepted                                  FINISH-1, FINISH-3
    result,        \* the result promise: "planned", or kept with this outcome     RESULT-1, RESULT-4, IDENT-2
    log,           \* what was accepted, in the order of seq                       EMIT-1, EMIT-2, STREAM-6
    sections,      \* how many work sections are open, over all threads            WORK-2
    drained,       \* the drained promise is kept                                  DRAIN-2
    claimed,       \* a cancel has been accepted                                   CANCEL-1, CANCEL-9
    cancelled,     \* the cancellation promise is kept                             IDENT-3, CANCEL-1
    hook,          \* where the on-cancel hook is; "unset": the run has none       CANCEL-1, CANCEL-7, CANCEL-8
    tap            \* the taps in the order of being made                          STREAM-1, STREAM-2

vars == <<closed, result, log, sections, drained, claimed, cancelled, hook, tap>>

Outcomes == {"completed", "failed", "cancelled"}    \* one per class of terminal event       RESULT-4, EVENT-2
Hooks    == {"unset", "idle", "due", "running", "returned"}
Phases   == {"live", "over", "closed"}              \* over: the stream has ended for the tap

TypeOK ==
    /\ {closed, drained, claimed, cancelled} \subseteq BOOLEAN
    /\ result \in Outcomes \cup {"planned"}
    /\ \A i \in DOMAIN log : log[i] \in Outcomes \cup {"event"}
    /\ sections \in Nat
    /\ hook \in Hooks
    /\ DOMAIN tap \subseteq Taps
    /\ \A t \in DOMAIN tap :
        /\ DOMAIN tap[t] = {"phase", "at", "seen", "parked", "done"}
        /\ tap[t].phase \in Phases
        /\ tap[t].at \in 0..Len(log)                                 \* the next seq to hand over
        /\ \A i \in DOMAIN tap[t].seen : tap[t].seen[i] \in Nat      \* the seqs handed over
        /\ tap[t].parked \in BOOLEAN                                 \* its callback does not return
        /\ tap[t].done \in BOOLEAN                                   \* it was told done

(* A run starts open, with a hook or without one (CANCEL-8). *)
Init ==
    /\ closed = FALSE /\ result = "planned" /\ log = <<>>
    /\ sections = 0 /\ drained = FALSE
    /\ claimed = FALSE /\ cancelled = FALSE /\ hook \in {"unset", "idle"}
    /\ tap = <<>>
----------------------------------------------------------------------------
(* What is read of the state *)

IsLive(t)  == t \in DOMAIN tap /\ tap[t].phase = "live"
AnyParked  == \E t \in DOMAIN tap : tap[t].parked
HookIsOut  == hook \in {"due", "running"}            \* owed or under way: decision 27
Published  ==                                        \* how far any tap ever got
    LET reached == {0} \cup {tap[t].at : t \in DOMAIN tap}
    IN  CHOOSE at \in reached : \A other \in reached : other <= at

(* Where a tap may start.  The first one starts at the beginning; a later   *)
(* one after all that was published, with or without what was accepted      *)
(* since (decisions 8 and 15).  While a tap has the terminal and waits for  *)
(* its done, the terminal may still go to a new one too (decision 19).      *)
Starts ==
    LET ending == closed /\ \E t \in DOMAIN tap : IsLive(t) /\ tap[t].at = Len(log)
    IN  IF tap = <<>> THEN {0}
        ELSE (IF ending THEN Len(log) - 1 ELSE Published)..Len(log)
----------------------------------------------------------------------------
(* Client actions *)

(* emit of an event that is not terminal: true and the next seq on an open  *)
(* run, false and nothing on a closed one.  Cancellation does not matter.   *)
(* EMIT-1, EMIT-2, EMIT-4, EMIT-10, EMIT-12, STREAM-10                      *)
Emit(reply) ==
    /\ reply = ~closed
    /\ log' = IF reply THEN Append(log, "event") ELSE log
    /\ UNCHANGED <<closed, result, sections, drained, claimed, cancelled, hook, tap>>

(* emit of a terminal event: refused; on a closed run false is right too    *)
(* (decision 13).  Nothing changes, no seq is spent.  EMIT-3                *)
EmitTerminal(reply) ==
    /\ reply \in {"refused", "false"}
    /\ reply = "false" => closed
    /\ UNCHANGED vars

(* finish: closing, keeping the result and queueing the terminal are one    *)
(* step; the first finish wins, whatever was cancelled before, and waits    *)
(* for nobody.  FINISH-1, FINISH-3 to FINISH-7, RESULT-1, RESULT-4,         *)
(* RESULT-8, STREAM-6                                                       *)
Finish(outcome, reply) ==
    /\ reply = ~closed
    /\ closed' = TRUE
    /\ result' = IF reply THEN outcome ELSE result
    /\ log' = IF reply THEN Append(log, outcome) ELSE log
    /\ UNCHANGED <<sections, drained, claimed, cancelled, hook, tap>>

(* finish with an event that is not terminal: refused; on a closed run      *)
(* false is right too (decision 13).  The run stays as it is.  FINISH-2     *)
FinishNonTerminal(reply) ==
    /\ reply \in {"refused", "false"}
    /\ reply = "false" => closed
    /\ UNCHANGED vars

(* cancel: the first one on an open run is accepted and owes the hook, every *)
(* other one is ignored; it never throws and stops nothing.  CANCEL-1,       *)
(* CANCEL-2, CANCEL-3, CANCEL-5, CANCEL-6, CANCEL-9 to CANCEL-13             *)
Cancel(accepted) ==
    /\ accepted = (~closed /\ ~claimed)
    /\ claimed' = (claimed \/ accepted)
    /\ hook' = IF accepted /\ hook = "idle" THEN "due" ELSE hook
    /\ UNCHANGED <<closed, result, log, sections, drained, cancelled, tap>>

(* work_begin: true and one section more on an open run, false and nothing  *)
(* on a closed one.  WORK-1, WORK-2, WORK-3, WORK-6                         *)
WorkBegin(reply) ==
    /\ reply = ~closed
    /\ sections' = IF reply THEN sections + 1 ELSE sections
    /\ UNCHANGED <<closed, result, log, drained, claimed, cancelled, hook, tap>>

(* work_done: one section less; a stray one, with none open, changes        *)
(* nothing (decisions 7 and 25).  WORK-2, WORK-4, WORK-5, DRAIN-4, DRAIN-6  *)
WorkDone(stray) ==
    /\ stray = (sections = 0)
    /\ sections' = IF stray THEN 0 ELSE sections - 1
    /\ UNCHANGED <<closed, result, log, drained, claimed, cancelled, hook, tap>>

(* tap: with nothing left to come it is over at once, without a done.       *)
(* STREAM-1, STREAM-2, STREAM-3, STREAM-12, STREAM-13                       *)
Tap ==
    /\ Len(tap) + 1 \in Taps
    /\ \E at \in Starts :
        tap' = Append(tap, [phase |-> IF closed /\ at = Len(log) THEN "over" ELSE "live",
                            at |-> at, seen |-> <<>>, parked |-> FALSE, done |-> FALSE])
    /\ UNCHANGED <<closed, result, log, sections, drained, claimed, cancelled, hook>>

(* close of a tap: nothing more is handed to it; a callback in progress     *)
(* goes on, and nobody else notices.  Closing again, or after the end of    *)
(* the stream, changes nothing.  STREAM-16                                  *)
CloseTap(t) ==
    /\ t \in DOMAIN tap
    /\ tap' = [tap EXCEPT ![t].phase = IF @ = "live" THEN "closed" ELSE @]
    /\ UNCHANGED <<closed, result, log, sections, drained, claimed, cancelled, hook>>

(* A parked callback returns (or throws: that costs the tap nothing more).  *)
(* STREAM-8, STREAM-9                                                       *)
Unpark(t) ==
    /\ t \in DOMAIN tap /\ tap[t].parked
    /\ tap' = [tap EXCEPT ![t].parked = FALSE]
    /\ UNCHANGED <<closed, result, log, sections, drained, claimed, cancelled, hook>>

(* The hook returns or throws; it may never do either.  CANCEL-3, CANCEL-11 *)
HookReturn ==
    /\ hook = "running"
    /\ hook' = "returned"
    /\ UNCHANGED <<closed, result, log, sections, drained, claimed, cancelled, tap>>
----------------------------------------------------------------------------
(* Internal actions *)

(* The cancellation of an accepted cancel is kept, once; a moment later     *)
(* than the claim (decisions 3 and 17).  CANCEL-1, CANCEL-9, IDENT-3        *)
KeepCancellation ==
    /\ claimed /\ ~cancelled
    /\ cancelled' = TRUE
    /\ UNCHANGED <<closed, result, log, sections, drained, claimed, hook, tap>>

(* The hook is called, once, after the cancellation is kept; the run may    *)
(* have been closed meanwhile (decisions 2 and 22).  CANCEL-1, CANCEL-7,    *)
(* CANCEL-10                                                                *)
HookStart ==
    /\ hook = "due"
    /\ cancelled
    /\ hook' = "running"
    /\ UNCHANGED <<closed, result, log, sections, drained, claimed, cancelled, tap>>

(* The next event is handed to a tap, whose callback returns or parks.      *)
Hand(t, parks) ==
    /\ IsLive(t)
    /\ ~tap[t].parked
    /\ tap[t].at < Len(log)
    /\ tap' = [tap EXCEPT ![t].seen = Append(@, tap[t].at), ![t].at = @ + 1, ![t].parked = parks]
    /\ UNCHANGED <<closed, result, log, sections, drained, claimed, cancelled, hook>>

(* A callback gets the next event and returns, or throws and loses it.      *)
(* STREAM-7, STREAM-8, STREAM-12, STREAM-15, EMIT-9, EMIT-11                *)
Deliver(t) == Hand(t, FALSE)

(* A callback gets the next event and blocks.  STREAM-9, STREAM-11, DRAIN-5 *)
DeliverAndPark(t) == Hand(t, TRUE)

(* A tap that has been handed the terminal is told done, once.  STREAM-4,   *)
(* STREAM-5, STREAM-13                                                      *)
Done(t) ==
    /\ IsLive(t)
    /\ ~tap[t].parked
    /\ closed
    /\ tap[t].at = Len(log)
    /\ tap' = [tap EXCEPT ![t].phase = "over", ![t].done = TRUE]
    /\ UNCHANGED <<closed, result, log, sections, drained, claimed, cancelled, hook>>

(* drained is kept, once.  It may wait for a hook that is out, and need not *)
(* (decision 27); it waits for no delivery.  DRAIN-1 to DRAIN-8, WORK-6     *)
KeepDrained ==
    /\ closed
    /\ sections = 0
    /\ ~drained
    /\ drained' = TRUE
    /\ UNCHANGED <<closed, result, log, sections, claimed, cancelled, hook, tap>>
----------------------------------------------------------------------------
Client ==
    \/ \E reply \in BOOLEAN :
        \/ Emit(reply) \/ Cancel(reply) \/ WorkBegin(reply) \/ WorkDone(reply)
        \/ \E outcome \in Outcomes : Finish(outcome, reply)
    \/ \E reply \in {"refused", "false"} : EmitTerminal(reply) \/ FinishNonTerminal(reply)
    \/ Tap \/ HookReturn
    \/ \E t \in Taps : CloseTap(t) \/ Unpark(t)

Internal ==
    \/ KeepCancellation \/ HookStart \/ KeepDrained
    \/ \E t \in Taps : Deliver(t) \/ DeliverAndPark(t) \/ Done(t)

Next == Client \/ Internal

(* What the run owes.  While a callback is parked the other taps may wait   *)
(* too (decision 5), and drained may wait for the hook (decision 27).       *)
Publish(t)  == ~AnyParked /\ (Deliver(t) \/ Done(t))
DrainInTime == ~HookIsOut /\ KeepDrained

Fairness ==
    /\ WF_vars(KeepCancellation)
    /\ WF_vars(HookStart)
    /\ \A t \in Taps : WF_vars(Publish(t))
    /\ WF_vars(DrainInTime)

Safety == Init /\ [][Next]_vars
Spec   == Safety /\ Fairness
----------------------------------------------------------------------------
(* State invariants *)

(* IDENT-2, RESULT-1, FINISH-3: closing and keeping the result are one step. *)
ResultInv == closed <=> (result # "planned")

(* STREAM-6, EMIT-2, FINISH-3: a terminal exactly when closed, only as last. *)
TerminalInv ==
    /\ closed <=> (\E i \in DOMAIN log : log[i] \in Outcomes)
    /\ \A i \in DOMAIN log : log[i] \in Outcomes => i = Len(log)

(* RESULT-4, FINISH-4: result and terminal come from the same finish.       *)
OutcomeInv == \A i \in DOMAIN log : log[i] \in Outcomes => log[i] = result

(* EMIT-1, EMIT-4, EMIT-10, FINISH-1, FINISH-5, FINISH-7, WORK-1, STREAM-9, *)
(* STREAM-10: in every state, whoever is parked, each operation has exactly *)
(* one answer, and false means that the result is kept.                     *)
AnswersInv ==
    LET open == result = "planned" IN
    /\ (ENABLED Emit(TRUE)) = open /\ (ENABLED Emit(FALSE)) = ~open
    /\ (ENABLED WorkBegin(TRUE)) = open /\ (ENABLED WorkBegin(FALSE)) = ~open
    /\ \A outcome \in Outcomes :
        (ENABLED Finish(outcome, TRUE)) = open /\ (ENABLED Finish(outcome, FALSE)) = ~open

(* CANCEL-3, CANCEL-6, CANCEL-11, CANCEL-12, EMIT-3, FINISH-2, WORK-4: these *)
(* are answered in every state too; a false for a wrong event means closed.  *)
CancelAnswersInv ==
    /\ (ENABLED Cancel(TRUE)) = (result = "planned" /\ ~claimed)
    /\ (ENABLED Cancel(FALSE)) = ~(ENABLED Cancel(TRUE))
    /\ (ENABLED WorkDone(TRUE)) = ~(ENABLED WorkDone(FALSE))
    /\ ENABLED EmitTerminal("refused") /\ ENABLED FinishNonTerminal("refused")
    /\ (ENABLED EmitTerminal("false") \/ ENABLED FinishNonTerminal("false")) => closed

(* EMIT-1, FINISH-1, CANCEL-1, WORK-2, STREAM-1, STREAM-16: what is         *)
(* accepted has its effect.  A property of steps cannot say so: a step      *)
(* without one is stuttering to it.                                         *)
EffectsInv ==
    /\ ~ENABLED (Emit(TRUE) /\ log' = log)
    /\ \A outcome \in Outcomes : ~ENABLED (Finish(outcome, TRUE) /\ (~closed' \/ result' = result \/ log' = log))
    /\ ~ENABLED (Cancel(TRUE) /\ ~claimed') /\ ~ENABLED (HookReturn /\ hook' = hook)
    /\ ~ENABLED (WorkBegin(TRUE) /\ sections' # sections + 1)
    /\ ~ENABLED (WorkDone(FALSE) /\ sections' # sections - 1)
    /\ ~ENABLED (Tap /\ tap' = tap)
    /\ \A t \in DOMAIN tap : /\ ~ENABLED (CloseTap(t) /\ tap'[t].phase = "live")
                            /\ ~ENABLED (Unpark(t) /\ tap'[t].parked)

(* CANCEL-1, CANCEL-6, CANCEL-8, CANCEL-10, IDENT-3: the cancellation and the *)
(* hook belong to an accepted cancel, both or neither.                        *)
CancelInv ==
    /\ cancelled => claimed
    /\ hook # "unset" => (claimed <=> hook # "idle")

(* CANCEL-7: the cancellation is kept before the hook is called.            *)
HookInv == hook \in {"running", "returned"} => cancelled

(* DRAIN-1, DRAIN-3, DRAIN-4, DRAIN-7, WORK-3, WORK-6: drained means closed *)
(* with no section open.                                                    *)
DrainInv == drained => closed /\ sections = 0

(* STREAM-7, STREAM-12: what a tap was handed has no gap, no double and no  *)
(* change of order, and ends just before what comes next.                   *)
OrderInv ==
    \A t \in DOMAIN tap :
        LET seen == tap[t].seen IN
        \A i \in DOMAIN seen : seen[i] + Len(seen) + 1 = tap[t].at + i

(* STREAM-1: the first tap is handed the run from its beginning.            *)
FirstTapInv == tap # <<>> => tap[1].at = Len(tap[1].seen)

(* STREAM-3, STREAM-4, STREAM-13, decision 19: done comes right after the   *)
(* terminal, and only then; a stream that is over has ended in it, or had   *)
(* nothing in it at all.                                                    *)
DoneInv ==
    \A t \in DOMAIN tap :
        LET seen == tap[t].seen IN
        /\ tap[t].done => /\ tap[t].phase = "over"
                          /\ seen # <<>>
                          /\ log[seen[Len(seen)] + 1] \in Outcomes
        /\ tap[t].phase = "over" => closed /\ tap[t].done = (seen # <<>>)

(* STREAM-14: whoever was handed the terminal finds the result kept.        *)
ResultFirstInv ==
    \A t \in DOMAIN tap : \A i \in DOMAIN tap[t].seen :
        log[tap[t].seen[i] + 1] \in Outcomes => result # "planned"
----------------------------------------------------------------------------
(* Properties of steps *)

(* IDENT-2, RESULT-1, RESULT-8, FINISH-1: kept once, never changed.         *)
ResultProp == [][closed => closed' /\ result' = result]_vars

(* EMIT-2, EMIT-3, EMIT-4, FINISH-2, FINISH-3, DRAIN-7: the log grows by one *)
(* event at a time, never on a closed run.                                   *)
LogProp ==
    [][log' # log => /\ ~closed /\ Len(log') = Len(log) + 1
                     /\ SubSeq(log', 1, Len(log)) = log]_vars

(* IDENT-3, CANCEL-2, CANCEL-6, CANCEL-9: claimed once, only while open, and *)
(* kept for good.                                                            *)
CancelProp ==
    [][/\ (claimed => claimed') /\ (cancelled => cancelled')
       /\ closed => claimed' = claimed]_vars

(* CANCEL-1, CANCEL-2, CANCEL-8, CANCEL-9: the hook goes one way, once.     *)
HookProp ==
    [][hook' # hook => <<hook, hook'>> \in
        {<<"idle", "due">>, <<"due", "running">>, <<"running", "returned">>}]_vars

(* CANCEL-5, FINISH-6, EMIT-12: a cancel stops nothing by itself.           *)
CancelStopsNothingProp ==
    [][(claimed' # claimed \/ cancelled' # cancelled \/ hook' # hook) =>
        UNCHANGED <<closed, result, log, sections, drained, tap>>]_vars

(* DRAIN-2, DRAIN-6: kept once, for good, not at a step of a section.       *)
DrainProp == [][(drained => drained') /\ (drained' # drained => UNCHANGED <<log, sections, tap>>)]_vars

(* WORK-2, WORK-3, WORK-6: a section at a time, none more on a closed run.  *)
WorkProp ==
    [][sections' # sections => (sections' = sections + 1 /\ ~closed) \/ sections' + 1 = sections]_vars

(* STREAM-1, STREAM-2, STREAM-3, decisions 8, 15 and 19: where a tap starts. *)
TapProp ==
    [][Len(tap') # Len(tap) =>
        LET new == tap'[Len(tap')] IN
        /\ Len(tap') = Len(tap) + 1 /\ SubSeq(tap', 1, Len(tap)) = tap
        /\ tap = <<>> => new.at = 0
        /\ tap # <<>> => \/ new.at >= Published
                         \/ log[new.at + 1] \in Outcomes /\ \E t \in DOMAIN tap : IsLive(t)
        /\ (tap # <<>> /\ closed /\ \A t \in DOMAIN tap : tap[t].done) => new.phase = "over"
        /\ new.seen = <<>> /\ ~new.done]_vars

(* STREAM-4, STREAM-7, STREAM-11, STREAM-16: one event at a time; nothing to *)
(* a tap that is parked, closed or over.                                     *)
HandProp ==
    [][\A t \in DOMAIN tap :
        LET old == tap[t]
            new == tap'[t]
        IN  /\ new.at # old.at => /\ old.phase = "live" /\ ~old.parked
                                  /\ new.seen = Append(old.seen, old.at)
            /\ new.seen # old.seen => new.at # old.at
            /\ new.done # old.done => old.phase = "live" /\ ~old.parked
            /\ old.phase # "live" => new.phase = old.phase]_vars
----------------------------------------------------------------------------
(* Properties of behaviours, under Fairness *)

(* DRAIN-2, DRAIN-4, DRAIN-5, DRAIN-8: kept without any further call.       *)
DrainsProp == (closed /\ sections = 0 /\ ~HookIsOut) ~> drained

(* CANCEL-1, CANCEL-9, CANCEL-10: an accepted cancel does both.             *)
CancelsProp == claimed ~> (cancelled /\ hook \in {"unset", "running", "returned"})

(* EMIT-1, EMIT-9, STREAM-7: with nobody parked, what is accepted arrives.  *)
DeliversProp ==
    \A t \in Taps : <>[]~AnyParked => []<>(IsLive(t) => tap[t].at = Len(log))

(* STREAM-4, STREAM-5, STREAM-13: with nobody parked, a closed run ends its *)
(* taps.                                                                    *)
EndsProp == \A t \in Taps : <>[]~AnyParked => []<>(closed => ~IsLive(t))
=============================================================================
