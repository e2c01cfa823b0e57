----------------------------- MODULE RunMailbox -----------------------------
(* The mailbox algorithm of the reference: threads, one lock, one publisher *)
(* at a time.  A critical section that writes one thing that can be seen is *)
(* one action; where a section writes two such things, it holds the lock in *)
(* between, because status is read without the lock.  Every other action is *)
(* one step without the lock.  Actions bear the names of what they model in *)
(* reference/agent_run; the comment names the function where they differ.   *)
(*                                                                          *)
(* A caller makes the calls of its script, one after the other.  A call out *)
(* of foreign code is a call of another caller for which that code waits:   *)
(* the algorithm does not ask which thread it is on.                        *)
EXTENDS RunMailboxState
----------------------------------------------------------------------------
(* emit and finish *)

(* The event is checked and copied: foreign code may run, and what is wrong *)
(* is refused before anything happens.  EMIT-3, EMIT-5, EMIT-7, FINISH-2,   *)
(* LEAF-5                                                                   *)
Stamp(p) ==
    /\ At(p, "stamp")
    /\ IF Fault = "stamp_under_lock" /\ lock # p
       THEN lock = Free /\ lock' = p /\ Stay /\ UNCHANGED noted
       ELSE /\ UNCHANGED lock
            /\ noted' = [noted EXCEPT ![p] = CASE Fault = "seq_outside_lock" -> nextSeq
                                               [] Fault \in {"test_outside_lock", "finish_tests_outside"} -> IF IsDone THEN 1 ELSE 0
                                               [] OTHER -> 0]
            /\ IF Op(p) \in Wrong THEN Return(p, "refused") ELSE Step(p, "section")
    /\ UNCHANGED <<endVars, drainVars, cancelVars, boxVars, tapVars, batonVars, about, contVars>>

(* The section of emit: whether the run is closed is asked where the event  *)
(* gets its place.  EMIT-1, EMIT-2, EMIT-4, EMIT-9 to EMIT-12, WORK-5       *)
EmitSection(p) ==
    /\ At(p, "section") /\ Op(p) = "emit"
    /\ Lockable(p) /\ lock' = (IF Fault = "lock_kept" /\ IsDone THEN p ELSE Free)
    /\ IF (IF Fault = "test_outside_lock" THEN noted[p] = 1 ELSE IsDone)
       THEN Return(p, IF Fault = "late_emit_says_true" THEN "true" ELSE "false") /\ UNCHANGED boxVars
       ELSE Queue(p, "event") /\ Step(p, "wake")
    /\ UNCHANGED <<endVars, drainVars, cancelVars, tapVars, batonVars, about, noted, contVars>>

(* The section of finish: closing, keeping the result and queueing the      *)
(* terminal are one step.  FINISH-1, FINISH-3, FINISH-4, FINISH-7, RESULT-4 *)
FinishSection(p) ==
    /\ At(p, "section") /\ Op(p) \in Finishes
    /\ Lockable(p)
    /\ Fault = "finish_waits" => ~publishing
    /\ IF (IF Fault = "finish_tests_outside" THEN noted[p] = 1 ELSE IsDone)
       THEN Return(p, "false") /\ UNCHANGED <<lock, endVars, due, boxVars, about>>
       ELSE /\ result' = Outcome[Op(p)]
            /\ kept' = [kept EXCEPT !.result = @ + 1]
            /\ Queue(p, Outcome[Op(p)])
            /\ Settle(p, TRUE, open, hold)
    /\ UNCHANGED <<open, sections, hold, cancelVars, tapVars, batonVars, noted, contVars>>

(* drained is kept, with the lock still held.  DRAIN-1 to DRAIN-4, DRAIN-6, *)
(* DRAIN-8                                                                  *)
KeepDrained(p) ==
    /\ pc[p] = "keepDrained"
    /\ kept' = [kept EXCEPT !.drained = @ + 1]
    /\ lock' = (IF lock = p THEN Free ELSE lock)
    /\ Announce(p, FirstToAnnounce(p))
    /\ UNCHANGED <<result, drainVars, cancelVars, boxVars, tapVars, batonVars, noted, contVars>>
----------------------------------------------------------------------------
(* cancel *)

(* The section of cancel: the first one on an open run takes the hook with  *)
(* it.  CANCEL-1, CANCEL-2, CANCEL-6, CANCEL-9, CANCEL-10, REC-1            *)
CancelSection(p) ==
    /\ At(p, "section") /\ Op(p) = "cancel"
    /\ Lockable(p)
    /\ IF claimed \/ (IsDone /\ Fault # "cancel_after_end") \/ Fault = "cancel_does_nothing"
       THEN /\ IF Fault = "every_cancel_calls" /\ hook = "returned" THEN Step(p, "hook") ELSE Return(p, "none")
            /\ UNCHANGED <<lock, open, hold, claimed, hook>>
       ELSE /\ claimed' = TRUE
            /\ hook' = IF hook = "idle" THEN "due" ELSE hook
            /\ hold' = (Recommended /\ Fault \notin {"hook_holds_nothing", "hook_among_sections"})
            /\ open' = IF Fault = "hook_among_sections" THEN open + 1 ELSE open
            /\ lock' = (IF Recommended /\ Fault # "kept_after_section" THEN p ELSE Free)
            /\ Step(p, IF Fault = "hook_first" THEN "hook" ELSE "keepCancellation")
    /\ UNCHANGED <<endVars, sections, due, hookCalls, boxVars, tapVars, batonVars, about, noted, contVars>>

(* The cancellation is kept, with the lock still held.  CANCEL-7, IDENT-3,  *)
(* REC-2                                                                    *)
KeepCancellation(p) ==
    /\ pc[p] = "keepCancellation"
    /\ kept' = [kept EXCEPT !.cancellation = @ + 1]
    /\ lock' = (IF lock = p /\ Fault # "hook_under_lock" THEN Free ELSE lock)
    /\ Announce(p, "cancellation")
    /\ UNCHANGED <<result, drainVars, cancelVars, boxVars, tapVars, batonVars, noted, contVars>>

(* The hook is called, on the thread of the cancel that won and without the *)
(* lock.  The run may have been finished meanwhile (decision 2).  CANCEL-1, *)
(* CANCEL-4, CANCEL-8, CANCEL-10, LEAF-2                                    *)
CallHook(p) ==
    /\ pc[p] = "hook"
    /\ IF hook = "unset" \/ (Fault = "hook_looked_up_late" /\ IsDone)
       THEN UNCHANGED <<hook, hookCalls>> /\ IF Recommended THEN Step(p, "release") ELSE Return(p, "none")
       ELSE hook' = "running" /\ hookCalls' = hookCalls + 1 /\ Step(p, "inHook")
    /\ UNCHANGED <<lock, endVars, drainVars, claimed, boxVars, tapVars, batonVars, about, noted, contVars>>

(* The hook returns or throws; it may never do either.  CANCEL-3, CANCEL-11 *)
HookReturn(p) ==
    /\ pc[p] = "inHook"
    /\ Joined("hook")
    /\ hook' = "returned"
    /\ lock' = (IF lock = p THEN Free ELSE lock)
    /\ IF Fault = "hook_first" /\ kept.cancellation = 0
       THEN Step(p, "keepCancellation")
       ELSE IF Recommended THEN Step(p, "release") ELSE Return(p, "none")
    /\ UNCHANGED <<endVars, drainVars, claimed, hookCalls, boxVars, tapVars, batonVars, about, noted, contVars>>

(* The end of the cancel that won: its hold on drained goes.  REC-1, DRAIN-4 *)
ReleaseSection(p) ==
    /\ pc[p] = "release"
    /\ Lockable(p)
    /\ hold' = FALSE
    /\ open' = IF Fault = "hook_among_sections" THEN Less(open) ELSE open
    /\ Settle(p, IsDone, open', FALSE)
    /\ UNCHANGED <<endVars, sections, cancelVars, boxVars, tapVars, batonVars, noted, contVars>>
----------------------------------------------------------------------------
(* work_begin and work_done *)

(* WORK-1, WORK-2, WORK-3, WORK-6 *)
WorkBeginSection(p) ==
    /\ At(p, "section") /\ Op(p) = "work_begin"
    /\ Lockable(p) /\ UNCHANGED lock
    /\ IF IsDone
       THEN Return(p, "false") /\ UNCHANGED <<open, sections>>
       ELSE Return(p, "true") /\ open' = open + 1 /\ sections' = sections + 1
    /\ UNCHANGED <<endVars, hold, due, cancelVars, boxVars, tapVars, batonVars, about, noted, contVars>>

(* A section that was refused has no work_done: no call is made.            *)
Refused(p) ==
    Op(p) = "work_done" /\ \E i \in DOMAIN replies[p] : Script[p][i] = "work_begin" /\ replies[p][i] = "false"

WorkDoneSkipped(p) ==
    /\ At(p, "section") /\ Refused(p)
    /\ Return(p, "none")
    /\ UNCHANGED <<lock, endVars, drainVars, cancelVars, boxVars, tapVars, batonVars, about, noted, contVars>>

(* The last section of a closed run keeps drained; a stray call must not    *)
(* harm.  WORK-2, WORK-4, DRAIN-4, DRAIN-6, DRAIN-8                         *)
WorkDoneSection(p) ==
    /\ At(p, "section") /\ Op(p) \in {"work_done", "stray_work_done"} /\ ~Refused(p)
    /\ Lockable(p)
    /\ open' = Less(open)
    /\ sections' = Less(sections)
    /\ Settle(p, IsDone, open', hold)
    /\ UNCHANGED <<endVars, hold, cancelVars, boxVars, tapVars, batonVars, noted, contVars>>
----------------------------------------------------------------------------
(* tap and close *)

(* A tap becomes a member, unless the stream is over.  It gets what the     *)
(* publisher takes from now on: for the first one that is everything.       *)
(* STREAM-1, STREAM-2, STREAM-3, STREAM-12                                  *)
TapSection(p) ==
    /\ At(p, "section") /\ Op(p) = "tap" /\ Len(tap) + 1 \in Taps
    /\ Lockable(p) /\ UNCHANGED lock
    /\ tap' = Append(tap, [closed |-> FALSE, at |-> Len(log) - Len(mailbox), seen |-> <<>>, dones |-> 0, late |-> over])
    /\ members' = IF over THEN members ELSE Append(members, Len(tap) + 1)
    /\ Step(p, "wake")
    /\ UNCHANGED <<endVars, drainVars, cancelVars, boxVars, over, batonVars, about, noted, contVars>>

(* Tap.close: from this write on nothing is handed to the tap.  STREAM-16   *)
CloseMark(p) ==
    /\ At(p, "section") /\ Op(p) \in DOMAIN Closing /\ Closing[Op(p)] \in DOMAIN tap
    /\ tap' = IF Fault = "close_does_nothing" THEN tap ELSE [tap EXCEPT ![Closing[Op(p)]].closed = TRUE]
    /\ Step(p, "leave")
    /\ UNCHANGED <<lock, endVars, drainVars, cancelVars, boxVars, members, over, batonVars, about, noted, contVars>>

(* Tap.close: its section.  With no member left, the mailbox keeps what     *)
(* comes (decision 8).  STREAM-16                                           *)
CloseSection(p) ==
    /\ pc[p] = "leave"
    /\ Lockable(p) /\ UNCHANGED lock
    /\ members' = SelectSeq(members, LAMBDA t : t # Closing[Op(p)] \/ Fault = "close_does_nothing")
    /\ Return(p, "none")
    /\ UNCHANGED <<endVars, drainVars, cancelVars, boxVars, over, tap, batonVars, about, noted, contVars>>
----------------------------------------------------------------------------
(* The baton: after emit, finish and tap *)

(* _wake, the look without the lock: a publisher that has the baton looks   *)
(* into the mailbox once more before it lets go of it.  STREAM-10           *)
WakeLook(p) ==
    /\ pc[p] = "wake"
    /\ IF publishing THEN Return(p, "true") ELSE Step(p, "wakeSection")
    /\ UNCHANGED <<lock, endVars, drainVars, cancelVars, boxVars, tapVars, batonVars, about, noted, contVars>>

(* _wake, its section: one caller at most gets the baton.  STREAM-11        *)
WakeSection(p) ==
    /\ pc[p] = "wakeSection"
    /\ Lockable(p) /\ UNCHANGED lock
    /\ IF (publishing /\ Fault # "wake_forgets_to_ask") \/ mailbox = <<>> \/ members = <<>>
       THEN Return(p, "true") /\ UNCHANGED publishing
       ELSE publishing' = TRUE /\ Step(p, "start")
    /\ UNCHANGED <<endVars, drainVars, cancelVars, boxVars, tapVars, refusals, task, about, noted, contVars>>

Idle == {u \in Publishers : task[u].at = "none"}

(* The crew starts the publisher on another thread.  STREAM-10              *)
StartPublisher(p) ==
    /\ pc[p] = "start"
    /\ Idle # {}
    /\ task' = [task EXCEPT ![CHOOSE u \in Idle : TRUE].at = "take"]
    /\ Return(p, "true")
    /\ UNCHANGED <<lock, endVars, drainVars, cancelVars, boxVars, tapVars, publishing, refusals, about, noted, contVars>>

(* The crew has no thread: the event stays accepted, and the next operation *)
(* tries again.  REC-3                                                      *)
StartRefused(p) ==
    /\ pc[p] = "start"
    /\ refusals < MaxRefusals
    /\ refusals' = refusals + 1
    /\ publishing' = FALSE
    /\ Return(p, "true")
    /\ UNCHANGED <<lock, endVars, drainVars, cancelVars, boxVars, tapVars, task, about, noted, contVars>>
----------------------------------------------------------------------------
(* The publisher *)

(* What a publisher does with left still to be called; done follows the     *)
(* terminal, for the same taps.                                             *)
After(now, left, ending) ==
    CASE left # <<>>                          -> [now EXCEPT !.left = left, !.at = IF ending THEN "handDone" ELSE "hand"]
      [] IsTerminal(now.event) /\ ~ending     -> [now EXCEPT !.left = now.again, !.again = <<>>,
                                                   !.at = IF now.again = <<>> THEN "take" ELSE "handDone"]
      [] OTHER                                -> [Rest EXCEPT !.at = "take"]

(* _take: the next event and the taps that it goes to; or the end of the    *)
(* publisher, which lets go of the baton where it sees that nothing is      *)
(* left.  Of several events the first is taken without the lock: it is no   *)
(* terminal, nobody else takes one while there is a publisher, and so the   *)
(* look at the taps is the one moment that counts.  STREAM-3, STREAM-4,     *)
(* STREAM-7, STREAM-12, STREAM-13                                           *)
Take(u) ==
    /\ task[u].at \in {"take", "letGo"}
    /\ lock \in {Free, u} \/ (Len(mailbox) > 1 /\ Fault # "subscriber_under_lock")
    /\ LET event == Head(mailbox)
           ends  == IsTerminal(event)
       IN  IF task[u].at = "letGo" \/ mailbox = <<>> \/ members = <<>>
           THEN /\ lock \in {Free, u} /\ lock' = Free
                /\ IF Fault = "baton_let_go_late" /\ task[u].at = "take"
                   THEN task' = [task EXCEPT ![u].at = "letGo"] /\ UNCHANGED publishing
                   ELSE task' = [task EXCEPT ![u] = Rest] /\ publishing' = FALSE
                /\ UNCHANGED <<mailbox, members, over>>
           ELSE /\ lock' = (IF Fault = "subscriber_under_lock" THEN u ELSE lock)
                /\ task' = [task EXCEPT ![u] = [at |-> IF ends /\ Fault = "done_for_terminal" THEN "handDone" ELSE "hand",
                                                event |-> event, left |-> members,
                                                again |-> IF ends THEN members ELSE <<>>]]
                /\ mailbox' = Tail(mailbox)
                /\ over' = (over \/ ends)
                /\ members' = IF ends THEN <<>> ELSE members
                /\ UNCHANGED publishing
    /\ UNCHANGED <<endVars, drainVars, cancelVars, log, nextSeq, tap, refusals, callVars, contVars>>

(* Tap._call: the callback of the next tap is called, unless it is closed.  *)
(* STREAM-7, STREAM-11, STREAM-14, STREAM-16                                *)
Hand(u) ==
    /\ task[u].at = "hand"
    /\ LET t == Head(task[u].left) IN
       IF tap[t].closed /\ Fault # "closed_is_called"
       THEN task' = [task EXCEPT ![u] = After(@, Tail(@.left), FALSE)] /\ UNCHANGED tap
       ELSE /\ task' = [task EXCEPT ![u].at = "event"]
            /\ tap' = [tap EXCEPT ![t].at = task[u].event.seq + 1, ![t].seen = Append(@, task[u].event.seq)]
    /\ UNCHANGED <<lock, endVars, drainVars, cancelVars, boxVars, members, over, publishing, refusals, callVars, contVars>>

(* The callback returns, or throws; that makes no difference, except to a   *)
(* fault.  It may never do either.  STREAM-8, STREAM-9                      *)
CallDone(u) ==
    /\ task[u].at = "event"
    /\ Joined("subscriber")
    /\ \E throws \in BOOLEAN :
        task' = [task EXCEPT ![u] =
            CASE throws /\ Fault = "throw_ends_publisher" -> Rest
              [] throws /\ Fault = "throw_redelivers" /\ Len(tap[Head(@.left)].seen) = 1 -> [@ EXCEPT !.at = "hand"]
              [] throws /\ Fault = "throw_loses_done"     -> [Rest EXCEPT !.at = "take"]
              [] OTHER                                    -> After(@, Tail(@.left), FALSE)]
    /\ UNCHANGED <<lock, endVars, drainVars, cancelVars, boxVars, tapVars, publishing, refusals, callVars, contVars>>

(* done is said to a tap that had the terminal, unless it is closed.        *)
(* STREAM-4, STREAM-5, STREAM-13, STREAM-16                                 *)
HandDone(u) ==
    /\ task[u].at = "handDone"
    /\ LET t == Head(task[u].left) IN
       IF tap[t].closed
       THEN task' = [task EXCEPT ![u] = After(@, Tail(@.left), TRUE)] /\ UNCHANGED tap
       ELSE task' = [task EXCEPT ![u].at = "done"] /\ tap' = [tap EXCEPT ![t].dones = @ + 1]
    /\ UNCHANGED <<lock, endVars, drainVars, cancelVars, boxVars, members, over, publishing, refusals, callVars, contVars>>

(* The callback for done returns or throws; it may never do either.         *)
DoneReturn(u) ==
    /\ task[u].at = "done"
    /\ Joined("subscriber")
    /\ task' = [task EXCEPT ![u] = After(@, Tail(@.left), TRUE)]
    /\ UNCHANGED <<lock, endVars, drainVars, cancelVars, boxVars, tapVars, publishing, refusals, callVars, contVars>>
----------------------------------------------------------------------------
(* Continuations *)

(* Promise.then: its section.  PROMISE-1                                    *)
ThenSection(p) ==
    /\ At(p, "section") /\ Op(p) \in Thens
    /\ Lockable(p) /\ UNCHANGED lock
    /\ conts' = [conts EXCEPT ![p] = "waiting"]
    /\ IF Fault = "then_forgets_to_look" THEN Return(p, "none") /\ UNCHANGED about ELSE Announce(p, Subject[Op(p)])
    /\ UNCHANGED <<endVars, drainVars, cancelVars, boxVars, tapVars, batonVars, noted, calls, taken>>

(* _announce, the look without the lock: is the promise kept, and does      *)
(* somebody wait?  PROMISE-1                                                *)
AnnounceLook(p) ==
    /\ pc[p] = "look"
    /\ IF kept[about[p]] > 0 /\ Waiting(about[p]) # {}
       THEN Step(p, "takeConts") /\ UNCHANGED about
       ELSE Beyond(p, about[p])
    /\ UNCHANGED <<lock, endVars, drainVars, cancelVars, boxVars, tapVars, batonVars, noted, contVars>>

(* _announce, its section: whoever takes a continuation is the one to start *)
(* it.  PROMISE-1                                                           *)
AnnounceSection(p) ==
    /\ pc[p] = "takeConts"
    /\ Lockable(p) /\ lock' = (IF Fault = "continuation_under_lock" THEN p ELSE Free)
    /\ taken' = [taken EXCEPT ![p] = Waiting(about[p])]
    /\ conts' = IF Fault = "continuations_not_taken" THEN conts
                ELSE [k \in Callers |-> IF k \in Waiting(about[p]) THEN "taken" ELSE conts[k]]
    /\ Step(p, "startConts")
    /\ UNCHANGED <<endVars, drainVars, cancelVars, boxVars, tapVars, batonVars, about, noted, calls>>

(* The continuations start on threads of their own, without the lock.       *)
(* PROMISE-1, PROMISE-3, LEAF-3                                             *)
StartContinuations(p) ==
    /\ pc[p] \in {"startConts", "inConts"}
    /\ IF pc[p] = "startConts"
       THEN /\ conts' = [k \in Callers |-> IF k \in taken[p] THEN "running" ELSE conts[k]]
            /\ calls' = [k \in Callers |-> IF k \in taken[p] THEN calls[k] + 1 ELSE calls[k]]
       ELSE (\A k \in taken[p] : conts[k] = "returned") /\ UNCHANGED <<conts, calls>>
    /\ IF Fault = "continuation_under_lock" /\ pc[p] = "startConts"
       THEN Step(p, "inConts") /\ UNCHANGED <<lock, taken, about>>
       ELSE taken' = [taken EXCEPT ![p] = {}] /\ Beyond(p, about[p]) /\ lock' = (IF lock = p THEN Free ELSE lock)
    /\ UNCHANGED <<endVars, drainVars, cancelVars, boxVars, tapVars, batonVars, noted>>

(* A continuation returns or throws; it may never do either.  PROMISE-2     *)
ContinuationReturn(k) ==
    /\ conts[k] = "running"
    /\ Joined("continuation")
    /\ conts' = [conts EXCEPT ![k] = "returned"]
    /\ UNCHANGED <<lock, endVars, drainVars, cancelVars, boxVars, tapVars, batonVars, callVars, calls, taken>>
----------------------------------------------------------------------------
(* Everything that a caller does on its own, foreign code that it waits for *)
(* apart.                                                                   *)
Proceed(p) ==
    \/ Stamp(p) \/ EmitSection(p) \/ FinishSection(p) \/ KeepDrained(p)
    \/ CancelSection(p) \/ KeepCancellation(p) \/ CallHook(p) \/ ReleaseSection(p)
    \/ WorkBeginSection(p) \/ WorkDoneSkipped(p) \/ WorkDoneSection(p)
    \/ TapSection(p) \/ CloseMark(p) \/ CloseSection(p)
    \/ WakeLook(p) \/ WakeSection(p) \/ StartPublisher(p)
    \/ ThenSection(p) \/ AnnounceLook(p) \/ AnnounceSection(p) \/ StartContinuations(p)

Publish(u) == Take(u) \/ Hand(u) \/ HandDone(u)

(* Nobody has anything left to do, and foreign code has returned.  Callers  *)
(* from within foreign code that never ran have not called.                 *)
Terminated ==
    /\ lock = Free
    /\ \A p \in Callers : pc[p] = "end" \/ ~InProgress(Within[p])
    /\ \A u \in Publishers : task[u].at = "none"
    /\ \A k \in Callers : conts[k] # "running"
    /\ UNCHANGED vars

Next ==
    \/ \E p \in Callers : Proceed(p) \/ StartRefused(p) \/ HookReturn(p) \/ ContinuationReturn(p)
    \/ \E u \in Publishers : Publish(u) \/ CallDone(u) \/ DoneReturn(u)
    \/ Terminated

(* Threads that can go on do so, and foreign code returns unless it may     *)
(* park.  A script ends, so no behaviour goes on for ever: it is the same   *)
(* whether each thread is treated fairly or, cheaper to check, all of them  *)
(* together.                                                                *)
CanGoOn ==
    \/ \E p \in Callers :
        \/ Proceed(p)
        \/ "hook" \notin MayPark /\ HookReturn(p)
        \/ "continuation" \notin MayPark /\ ContinuationReturn(p)
    \/ \E u \in Publishers :
        \/ Publish(u)
        \/ (CallDone(u) \/ DoneReturn(u)) /\ Head(task[u].left) \notin Parking

Fairness == WF_vars(CanGoOn)

Safety == Init /\ [][Next]_vars
Spec   == Safety /\ Fairness
=============================================================================
