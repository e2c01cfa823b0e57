-------------------------- MODULE RunMailboxState --------------------------
(* The state of the mailbox algorithm, and what its actions share.          *)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
    Script,        \* what each caller calls, in order
    Within,        \* whence each caller calls: "client", or from within a "subscriber", "hook", "continuation"
    Taps,          \* the numbers that taps may get
    Publishers,    \* names for publishers; a second one is there for faults only
    StartHooks,    \* how hook may start: "unset", "idle"
    Parking,       \* the taps whose callback may never return
    MayPark,       \* the other foreign code that may never return: "hook", "continuation"
    MaxRefusals,   \* how often the crew may have no thread for a publisher
    Recommended,   \* FALSE: promises are kept after the section, and drained does not wait for the hook (decision 27)
    Fault          \* "none", or the name of the fault that the algorithm has

VARIABLES
    lock,          \* who holds the lock                                              LEAF-1 to LEAF-5
    kept,          \* how often each promise was kept: never more than once           RESULT-1, CANCEL-9, DRAIN-6
    result,        \* "planned", or the outcome: also what closes the run             FINISH-3, IDENT-2
    open,          \* the count of open sections (_open_sections)                     WORK-2
    sections,      \* history: the same, as the contract counts them                  WORK-2
    hold,          \* an accepted cancel counts as a section until its hook is over   REC-1
    due,           \* somebody has taken it upon himself to keep drained              DRAIN-6, DRAIN-8
    claimed,       \* a cancel has been accepted                                      CANCEL-1, CANCEL-9
    hook,          \* where the hook is, as in Run                                    CANCEL-1
    hookCalls,     \* history: how often it was called                                CANCEL-1, CANCEL-9
    log,           \* history: what was accepted, with its seq and the call           EMIT-1, EMIT-2
    nextSeq,       \* (_next_seq)                                                     EMIT-2
    mailbox,       \* accepted, and not taken by the publisher (_mailbox)             STREAM-1, STREAM-7
    members,       \* the taps that the next event goes to (_taps)                    STREAM-2
    over,          \* the publisher has taken the terminal (_over)                    STREAM-3
    publishing,    \* the baton: there is a publisher (_publishing)                   STREAM-11
    refusals,      \* how often the crew had no thread                                REC-3
    tap,           \* the taps in the order of being made                             STREAM-1, STREAM-16
    task,          \* what each publisher is doing (_publish)                         STREAM-10, STREAM-11
    pc,            \* the next step of each caller
    replies,       \* the answers that each caller got
    about,         \* the promise that each caller announces
    noted,         \* what a caller remembers, for faults only
    conts,         \* where each continuation is; it is named by the caller of then   PROMISE-1, PROMISE-3
    calls,         \* history: how often each was called                              PROMISE-1
    taken          \* the continuations that each caller is about to start            PROMISE-1

endVars    == <<result, kept>>
drainVars  == <<open, sections, hold, due>>
cancelVars == <<claimed, hook, hookCalls>>
boxVars    == <<log, nextSeq, mailbox>>
tapVars    == <<members, over, tap>>
batonVars  == <<publishing, refusals, task>>
callVars   == <<pc, replies, about, noted>>
contVars   == <<conts, calls, taken>>
vars == <<lock, endVars, drainVars, cancelVars, boxVars, tapVars, batonVars, callVars, contVars>>

Free     == "nobody"
Callers  == DOMAIN Script
Promises == {"result", "cancellation", "drained"}
Outcome  == [finish_completed |-> "completed", finish_failed |-> "failed", finish_cancelled |-> "cancelled"]
Finishes == DOMAIN Outcome
Subject  == [then_result |-> "result", then_cancellation |-> "cancellation", then_drained |-> "drained"]
Thens    == DOMAIN Subject
Closing  == [close_1 |-> 1, close_2 |-> 2]
Wrong    == {"emit_terminal", "finish_event"}
Stamped  == {"emit"} \cup Finishes \cup Wrong
Announces == \E p \in Callers : \E i \in DOMAIN Script[p] : Script[p][i] \in Thens

IsDone      == result # "planned"
IsCancelled == kept.cancellation > 0
IsDrained   == kept.drained > 0

Op(p)          == Script[p][Len(replies[p]) + 1]
FirstStep(p, n) == IF n > Len(Script[p]) THEN "end" ELSE IF Script[p][n] \in Stamped THEN "stamp" ELSE "section"

(* An event is its seq and what it is; a publisher has one in its hands,    *)
(* the taps that are left to call, and those to be called again for done.   *)
Outcomes == {Outcome[op] : op \in Finishes}
Nothing  == [seq |-> -1, what |-> "none"]
Rest     == [at |-> "none", event |-> Nothing, left |-> <<>>, again |-> <<>>]
IsTerminal(event) == event.what \in Outcomes

ThenOf(k)        == CHOOSE op \in Thens : \E i \in DOMAIN Script[k] : Script[k][i] = op
Waiting(promise) == {k \in Callers : conts[k] = "waiting" /\ Subject[ThenOf(k)] = promise}

Init ==
    /\ lock = Free
    /\ kept = [promise \in Promises |-> 0] /\ result = "planned"
    /\ open = 0 /\ sections = 0 /\ hold = FALSE /\ due = FALSE
    /\ claimed = FALSE /\ hook \in StartHooks /\ hookCalls = 0
    /\ log = <<>> /\ nextSeq = 0 /\ mailbox = <<>>
    /\ members = <<>> /\ over = FALSE /\ tap = <<>>
    /\ publishing = FALSE /\ refusals = 0
    /\ task = [u \in Publishers |-> Rest]
    /\ pc = [p \in Callers |-> FirstStep(p, 1)] /\ replies = [p \in Callers |-> <<>>]
    /\ about = [p \in Callers |-> "result"] /\ noted = [p \in Callers |-> 0]
    /\ conts = [p \in Callers |-> "none"] /\ calls = [p \in Callers |-> 0] /\ taken = [p \in Callers |-> {}]
----------------------------------------------------------------------------
(* Foreign code, and who may call *)

(* Foreign code of the kind is in progress. *)
InProgress(kind) ==
    CASE kind = "client"       -> TRUE
      [] kind = "subscriber"   -> \E u \in Publishers : task[u].at \in {"event", "done"}
      [] kind = "hook"         -> \E p \in Callers : pc[p] = "inHook"
      [] kind = "continuation" -> \E k \in Callers : conts[k] = "running"

(* Foreign code waits for those that call from within it. *)
Joined(kind) == \A p \in Callers : Within[p] = kind => pc[p] = "end"

At(p, step) == pc[p] = step /\ InProgress(Within[p])

(* The threads that run foreign code now: the copy of an event may, too. *)
InForeignCode ==
    {p \in Callers : pc[p] \in {"stamp", "inHook"}}
        \cup {p \in Callers : \E k \in taken[p] : conts[k] = "running"}
        \cup {u \in Publishers : task[u].at \in {"event", "done"}}
----------------------------------------------------------------------------
(* What the actions of callers share *)

Step(p, step) == pc' = [pc EXCEPT ![p] = step] /\ UNCHANGED replies

Return(p, reply) ==
    /\ replies' = [replies EXCEPT ![p] = Append(@, reply)]
    /\ pc' = [pc EXCEPT ![p] = FirstStep(p, Len(replies[p]) + 2)]

Stay == UNCHANGED <<pc, replies>>

(* What follows once the continuations of a promise have been seen to. *)
Beyond(p, promise) ==
    IF Op(p) \in Finishes /\ promise = "result" /\ Announces
    THEN Step(p, "look") /\ about' = [about EXCEPT ![p] = "drained"]
    ELSE /\ about' = [about EXCEPT ![p] = "result"]
         /\ CASE Op(p) \in Finishes -> Step(p, "wake")
              [] Op(p) = "cancel" /\ promise = "cancellation" /\ Fault # "hook_first" -> Step(p, "hook")
              [] OTHER -> Return(p, "none")

(* The step after a promise was, or was not, kept.  With no continuation in *)
(* the whole model there is nothing to look at.                             *)
Announce(p, promise) ==
    IF Announces
    THEN Step(p, "look") /\ about' = [about EXCEPT ![p] = promise]
    ELSE Beyond(p, promise)

FirstToAnnounce(p) == IF Op(p) \in Finishes THEN "result" ELSE "drained"

(* _keep_drained_if_due, at the end of a section that leaves the run done,  *)
(* with n sections and the hook's hold.                                     *)
Settle(p, done, n, held) ==
    LET isDue == CASE Fault = "drained_on_open_run"   -> n = 0 /\ ~due
                   [] Fault = "drained_kept_again"    -> done /\ n = 0 /\ ~held
                   [] Fault = "finish_forgets_drained" -> done /\ n = 0 /\ ~held /\ ~due /\ Op(p) \notin Finishes
                   [] OTHER                           -> done /\ n = 0 /\ ~held /\ ~due
    IN  IF isDue
        THEN due' = TRUE /\ lock' = (IF Recommended THEN p ELSE Free) /\ Step(p, "keepDrained") /\ UNCHANGED about
        ELSE UNCHANGED due /\ lock' = Free /\ Announce(p, FirstToAnnounce(p))

(* The next seq and the place in the mailbox go together.               *)
Queue(p, what) ==
    LET seq   == IF Fault = "seq_outside_lock" THEN noted[p] ELSE nextSeq
        event == [seq |-> seq, what |-> what]
    IN  /\ nextSeq' = seq + 1
        /\ mailbox' = Append(mailbox, event)
        /\ log' = Append(log, [seq |-> seq, what |-> what, by |-> p, call |-> Len(replies[p]) + 1])

Less(n) == IF (n = 0 /\ Fault # "count_below_zero") \/ Fault = "work_done_counts_nothing" THEN n ELSE n - 1

(* The lock can be taken; it is no re-entrant one. *)
Lockable(p) == lock = Free \/ (lock = p /\ Fault = "stamp_under_lock")
=============================================================================
