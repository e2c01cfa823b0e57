------------------------------ MODULE TraceRun ------------------------------
(* Does Run allow what was recorded?  A recording has the call and the      *)
(* return of every operation and each callback as it came.  It is allowed   *)
(* when each operation can take effect, as an action of Run with that       *)
(* reply, somewhere between its call and its return.                        *)
(*                                                                          *)
(* The search reads the records one by one and lets an operation take       *)
(* effect only when the next record cannot be read without it.  What is     *)
(* known from later records (the reply, the seq that an event was handed    *)
(* with) says which one it is, so there is hardly ever a choice.  These     *)
(* hints only steer: nothing is accepted that is not a step of Run.         *)
(*                                                                          *)
(* trace_check.py writes the module TraceFiles with the recordings, Files:  *)
(* TLC evaluates a definition once, but a constant of the configuration     *)
(* anew at each use.                                                        *)
EXTENDS Run, Integers, TLC, TraceFiles

VARIABLES
    file,          \* the recording that is read
    line,          \* the next record of it
    inFlight,      \* the calls that have not returned
    taken,         \* those of them that have taken effect
    stale,         \* those of them that look at what was kept already when they began
    place,         \* the number that Run has for each tap of the recording; 0 for none yet
    flying,        \* the taps whose next callback has begun but is not recorded yet
    winner,        \* the cancel that was accepted; 0 for none
    told,          \* the promises whose continuation was called
    mistaken,      \* the seqs that a record to come says another event has
    verdict        \* "open", "accepted" or "rejected"

search    == <<inFlight, taken, stale, place, flying, winner, told, mistaken>>
traceVars == <<vars, file, line, search, verdict>>

None      == -1
Trace     == Files[file]
Record    == Trace.records[line]
Call(id)  == Trace.calls[id]
Waiting   == inFlight \ taken

Returns(operation) == Record.k = "return" /\ Call(Record.id).op = operation
IsAccepted(id)     == Call(id).op = "emit" /\ Call(id).kind = "event" /\ Call(id).reply = "true"
IsWinning(id)      == Call(id).op = "finish" /\ Call(id).kind # "event" /\ Call(id).reply = "true"
IsBegun(id)        == Call(id).op = "work_begin" /\ Call(id).reply = "true"
IsEnded(id)        == Call(id).op = "work_done" /\ Call(id).reply = "none"

TraceInit ==
    /\ Init
    /\ file \in DOMAIN Files /\ line = 1 /\ verdict = "open"
    /\ hook = IF Trace.hook THEN "idle" ELSE "unset"
    /\ inFlight = {} /\ taken = {} /\ stale = {} /\ flying = {} /\ told = {} /\ mistaken = {} /\ winner = 0
    /\ place = [t \in 1..Trace.taps |-> 0]
----------------------------------------------------------------------------
(* What the next record asks of the run *)

SaysClosed ==
    \/ Returns("emit") /\ Call(Record.id).reply = "false"
    \/ Returns("work_begin") /\ Call(Record.id).reply = "false"
    \/ Returns("finish") /\ Call(Record.id).reply \in {"true", "false"}
    \/ Returns("is_done") /\ Call(Record.id).reply = "true"
    \/ (Returns("result") \/ Returns("drained")) /\ Call(Record.id).reply = "kept"
    \/ Record.k = "kept" /\ Record.promise \in {"result", "drained"}
    \/ Record.k = "handed" /\ Record.of # 0 /\ Call(Record.of).op = "finish"
    \/ Record.k = "done"

SaysCancelled ==
    \/ Returns("is_cancelled") /\ Call(Record.id).reply = "true"
    \/ Returns("cancellation") /\ Call(Record.id).reply = "kept"
    \/ Record.k = "kept" /\ Record.promise = "cancellation"
    \/ Record.k = "hook" /\ Record.step = "called"

SaysDrained ==
    \/ Returns("drained") /\ Call(Record.id).reply = "kept"
    \/ Record.k = "kept" /\ Record.promise = "drained"

FliesPast == Returns("close") /\ Call(Record.id).flying # "none"

(* A tap that was owed nothing at the end came after every event there is,  *)
(* the terminal too: what has not returned by now may have come before it.  *)
ComesLast == Returns("tap") /\ Record.id \in Waiting /\ Call(Record.id).last /\ tap # <<>>

(* A cancel that returns while the run is open was accepted, or came after  *)
(* one that was, or after a finish that has not returned.                   *)
MayClose ==
    /\ ~closed
    /\ \/ SaysClosed
       \/ FliesPast
       \/ ComesLast
       \/ Returns("cancel") /\ Record.id \notin taken /\ ~claimed /\ \E id \in Waiting : IsWinning(id)

WantedLength ==
    CASE Record.k = "handed" -> Record.seq + 1
      [] Returns("tap")      -> Call(Record.id).first
      [] OTHER               -> 0

MustAccept ==
    \/ MayClose
    \/ FliesPast
    \/ ComesLast
    \/ Len(log) < WantedLength
    \/ Returns("emit") /\ Record.id \in Waiting /\ IsAccepted(Record.id)
----------------------------------------------------------------------------
(* Operations that take effect *)

Take(id) == taken' = taken \cup {id} /\ UNCHANGED <<file, line, inFlight, stale, told, verdict>>

(* The call whose event has the next seq; 0 when nobody was handed that seq. *)
(* Then it is one of those that nobody was handed: the first to return.      *)
NextCall  == IF Len(log) < Len(Trace.order) THEN Trace.order[Len(log) + 1] ELSE 0
Undelivered == {id \in Waiting : IsAccepted(id) /\ Call(id).seq = None}

CanAccept   == IF NextCall = 0 THEN Undelivered # {} ELSE NextCall \in Waiting /\ IsAccepted(NextCall)

AcceptEvent(id) ==
    /\ MustAccept /\ IsAccepted(id)
    /\ IF NextCall = 0
       THEN id \in Undelivered /\ \A other \in Undelivered : Call(id).returns <= Call(other).returns
       ELSE id = NextCall
    /\ Emit(TRUE) /\ Take(id) /\ UNCHANGED <<place, flying, winner, mistaken>>

(* It returns now, so its seq is this one, and the record that says another *)
(* is the one to reject.                                                    *)
AcceptMistaken(id) ==
    /\ Returns("emit") /\ Record.id = id /\ IsAccepted(id) /\ ~CanAccept
    /\ Emit(TRUE)
    /\ mistaken' = mistaken \cup {Len(log)}
    /\ Take(id) /\ UNCHANGED <<place, flying, winner>>

(* What was answered as on an open run takes effect before the run closes.  *)
Close(id) ==
    /\ MayClose /\ IsWinning(id)
    /\ ~CanAccept
    /\ NextCall \notin Waiting \ {id}
    /\ \A other \in Waiting : ~IsBegun(other)
    /\ Finish(Call(id).kind, TRUE)
    /\ mistaken' = IF Call(id).seq \in {None, Len(log)} THEN mistaken ELSE mistaken \cup {Len(log)}
    /\ Take(id) /\ UNCHANGED <<place, flying, winner>>

(* The hook tells by its thread which cancel was accepted; else it may be   *)
(* any, and the last to return is the one that can have waited longest.     *)
Claim(id) ==
    /\ (SaysCancelled \/ MayClose \/ Returns("cancel")) /\ Call(id).op = "cancel"
    /\ IF Trace.hookThread # ""
       THEN Call(id).thread = Trace.hookThread
       ELSE \A other \in Waiting : Call(other).op = "cancel" => Call(other).returns <= Call(id).returns
    /\ Cancel(TRUE)
    /\ winner' = id
    /\ Take(id) /\ UNCHANGED <<place, flying, mistaken>>

(* Where drained was kept no section may be left: each begins when it is     *)
(* called and ends as late as it can.  Elsewhere it is the other way round, *)
(* so that a work_done is stray where it may be (decisions 7 and 25).       *)
CountsAtCall(id) == IF Trace.drains THEN IsBegun(id) /\ ~closed ELSE IsEnded(id)

Count(id) == IF IsBegun(id) THEN WorkBegin(TRUE) ELSE WorkDone(sections = 0)

BeginSection(id) ==
    /\ MayClose /\ IsBegun(id)
    /\ \A other \in Waiting : IsBegun(other) => id <= other
    /\ WorkBegin(TRUE)
    /\ Take(id) /\ UNCHANGED <<place, flying, winner, mistaken>>

EndSection(id) ==
    /\ SaysDrained /\ closed /\ sections > 0 /\ IsEnded(id)
    /\ WorkDone(FALSE)
    /\ Take(id) /\ UNCHANGED <<place, flying, winner, mistaken>>

(* A tap starts at what it is handed first, as late as that may be, for no  *)
(* later tap may start lower: when it returns, and before anything else is  *)
(* past that seq.  One that is handed nothing starts when it returns, or to *)
(* be the first where another is not: after every event when it is owed     *)
(* none, else as low as it can, so that it is in nobody's way.              *)
WouldPass(seq) ==
    \/ Record.k = "handed" /\ Record.seq >= seq
    \/ Record.k = "done"
    \/ FliesPast /\ place[Call(Record.id).tap] # 0 /\ tap[place[Call(Record.id).tap]].at >= seq
    \/ Returns("tap") /\ LET other == Call(Record.id) IN
                          IF other.first = None THEN other.last ELSE other.first >= seq

IsClosing(id) == Returns("close") /\ Call(Record.id).tap = Call(id).tap

IsDue(id) ==
    /\ Call(id).op = "tap" /\ Call(id).first # None
    /\ WouldPass(Call(id).first) \/ IsClosing(id)
    /\ Call(id).first \in Starts

StartsBefore(id) ==
    \/ (Returns("tap") /\ Record.id = id) \/ IsClosing(id)
    \/ tap = <<>> /\ (Returns("tap") \/ (Record.k \in {"handed", "done"} /\ place[Record.tap] = 0))

StartTap(id) ==
    /\ Call(id).op = "tap"
    /\ Tap
    /\ LET at == tap'[Len(tap')].at IN
       CASE IsDue(id) -> at = Call(id).first
         [] Call(id).first = None ->
              /\ StartsBefore(id)
              /\ tap = <<>> \/ (IF Call(id).last THEN at = Len(log) /\ ~CanAccept ELSE at = Published)
         [] OTHER -> \* what it is handed is rejected later
              /\ Returns("tap") /\ Record.id = id /\ ~CanAccept
              /\ tap = <<>> \/ at = Len(log)
    /\ place' = [place EXCEPT ![Call(id).tap] = Len(tap')]
    /\ Take(id) /\ UNCHANGED <<flying, winner, mistaken>>
----------------------------------------------------------------------------
(* Steps of the run that no record shows at their moment *)

Silently == UNCHANGED <<file, line, inFlight, taken, stale, place, winner, told, mistaken, verdict>>

Keep  == (SaysCancelled \/ (Returns("cancel") /\ Record.id = winner)) /\ KeepCancellation /\ Silently /\ UNCHANGED flying
Drain == SaysDrained /\ KeepDrained /\ Silently /\ UNCHANGED flying

(* A callback may have begun, and be recorded only after a close of its tap *)
(* has returned, or after a tap that came while it had the terminal.        *)
WaitsForEnd(id) == Call(id).op = "tap" /\ Call(id).first = Len(log) - 1 /\ Call(id).first \notin Starts

Fly(t) ==
    /\ t \notin flying /\ place[t] # 0
    /\ \/ FliesPast /\ Call(Record.id).tap = t /\ Call(Record.id).flying = "handed" /\ DeliverAndPark(place[t])
       \/ FliesPast /\ Call(Record.id).tap = t /\ Call(Record.id).flying = "done" /\ Done(place[t])
       \/ /\ closed /\ tap[place[t]].at = Len(log) - 1 /\ \E id \in Waiting : WaitsForEnd(id)
          /\ DeliverAndPark(place[t])
    /\ flying' = flying \cup {t}
    /\ Silently
----------------------------------------------------------------------------
(* Reading a record *)

ReadOn == line' = line + 1 /\ UNCHANGED <<file, verdict>>

Flag(operation) ==
    CASE operation \in {"is_done", "result"}            -> closed
      [] operation \in {"is_cancelled", "cancellation"} -> cancelled
      [] operation = "drained"                          -> drained
      [] OTHER                                          -> FALSE

ReadCall ==
    LET id == Record.id
    IN  /\ Record.k = "call"
        /\ inFlight' = inFlight \cup {id}
        /\ stale' = IF Flag(Call(id).op) THEN stale \cup {id} ELSE stale
        /\ taken' = IF CountsAtCall(id) THEN taken \cup {id} ELSE taken
        /\ IF CountsAtCall(id) THEN Count(id) ELSE UNCHANGED vars
        /\ UNCHANGED <<place, flying, winner, told, mistaken>> /\ ReadOn

(* What is seen of a promise or status: never from kept back to planned.    *)
Look(id) ==
    /\ \/ Call(id).reply \in {"true", "kept"} /\ Flag(Call(id).op)
       \/ Call(id).reply \in {"false", "planned"} /\ id \notin stale
    /\ UNCHANGED vars

(* What takes effect, if it has one at all, when it returns.                *)
Answer(id) ==
    LET c == Call(id) IN
    CASE c.op = "emit" /\ c.kind = "event"   -> c.reply = "false" /\ Emit(FALSE)
      [] c.op = "emit" /\ c.kind # "event"   -> EmitTerminal(c.reply)
      [] c.op = "finish" /\ c.kind # "event" -> c.reply = "false" /\ Finish(c.kind, FALSE)
      [] c.op = "finish" /\ c.kind = "event" -> FinishNonTerminal(c.reply)
      [] c.op = "work_begin"                 -> c.reply \in {"true", "false"} /\ WorkBegin(c.reply = "true")
      [] c.op = "work_done"                  -> c.reply = "none" /\ WorkDone(sections = 0)
      [] c.op = "cancel"                     -> c.reply = "none" /\ Cancel(FALSE)
      [] c.op = "tap"                        -> FALSE
      [] c.op = "close"                      -> c.reply = "none" /\ CloseTap(place[c.tap])
      [] OTHER                               -> Look(id)

(* A cancel that was accepted returns after its hook (CANCEL-4).            *)
HasEnded(id) ==
    /\ Call(id).reply \in {"true", "none"}
    /\ id = winner => cancelled /\ hook \in {"unset", "returned"}
    /\ UNCHANGED vars

ReadReturn ==
    LET id == Record.id IN
    /\ Record.k = "return"
    /\ IF id \in taken THEN HasEnded(id) ELSE Answer(id)
    /\ inFlight' = inFlight \ {id} /\ taken' = taken \ {id} /\ stale' = stale \ {id}
    /\ UNCHANGED <<place, flying, winner, told, mistaken>> /\ ReadOn

Landed(t) == t \in flying /\ flying' = flying \ {t} /\ UNCHANGED vars
Grounded(t) == t \notin flying /\ UNCHANGED flying

ReadTap ==
    LET t == Record.tap
        n == place[t]
    IN  /\ Record.k \in {"handed", "let_go", "done"}
        /\ n # 0
        /\ CASE Record.k = "handed" ->
                    /\ Record.of # 0 /\ Record.seq + 1 \in DOMAIN Trace.order
                    /\ Trace.order[Record.seq + 1] = Record.of
                    /\ Record.seq \notin mistaken
                    /\ \/ Landed(t) /\ tap[n].parked /\ tap[n].at = Record.seq + 1
                       \/ Grounded(t) /\ tap[n].at = Record.seq /\ DeliverAndPark(n)
             [] Record.k = "let_go" -> Grounded(t) /\ tap[n].at = Record.seq + 1 /\ Unpark(n)
             [] Record.k = "done"   -> (Landed(t) /\ tap[n].done) \/ (Grounded(t) /\ Done(n))
        /\ UNCHANGED <<inFlight, taken, stale, place, winner, told, mistaken>> /\ ReadOn

ReadHook ==
    /\ Record.k = "hook"
    /\ IF Record.step = "called" THEN HookStart ELSE HookReturn
    /\ Trace.hookThread # "" => Call(winner).thread = Record.thread     \* CANCEL-4
    /\ UNCHANGED search /\ ReadOn

(* A continuation is called once, with the value (PROMISE-1).               *)
ReadKept ==
    /\ Record.k = "kept"
    /\ Record.promise \notin told
    /\ Flag(Record.promise)
    /\ Record.value = (IF Record.promise = "result" THEN result ELSE "true")
    /\ told' = told \cup {Record.promise}
    /\ UNCHANGED <<vars, inFlight, taken, stale, place, flying, winner, mistaken>> /\ ReadOn

When(condition, text) == IF condition THEN {text} ELSE {}

(* Where the recorder has waited, nothing is owed any more: see Fairness.   *)
Owed ==
    When(claimed /\ "cancellation" \notin told, "the cancellation was not told")
    \cup When(hook = "due", "the hook was not called")
    \cup When(closed /\ "result" \notin told, "the result was not told")
    \cup When(closed /\ sections = 0 /\ ~HookIsOut /\ "drained" \notin told, "drained was not told")
    \cup UNION {
        LET n     == place[t]
            name  == "tap " \o ToString(t)
            waits == n # 0 /\ ~AnyParked /\ IsLive(n) IN
        When(t \in flying, name \o " was not handed what it had begun with")
        \cup When(waits /\ tap[n].at < Len(log), name \o " was not handed seq " \o ToString(tap[n].at))
        \cup When(waits /\ tap[n].at = Len(log) /\ closed, name \o " was not told done") : t \in DOMAIN place}

ReadEnd ==
    /\ Record.k = "end"
    /\ Record.settled => Owed = {}
    /\ verdict' = "accepted"
    /\ UNCHANGED <<vars, file, line, search>>

Read == ReadCall \/ ReadReturn \/ ReadTap \/ ReadHook \/ ReadKept \/ ReadEnd
----------------------------------------------------------------------------
Advance ==
    /\ verdict = "open"
    /\ IF \E id \in Waiting : IsDue(id)
       THEN StartTap(CHOOSE id \in Waiting :
                        IsDue(id) /\ \A other \in Waiting : IsDue(other) => Call(id).first <= Call(other).first)
       ELSE \/ Read
            \/ \E id \in Waiting :
                \/ AcceptEvent(id) \/ AcceptMistaken(id) \/ Close(id)
                \/ Claim(id) \/ BeginSection(id) \/ EndSection(id) \/ StartTap(id)
            \/ Keep \/ Drain
            \/ \E t \in DOMAIN place : Fly(t)

(* What Run would allow here, for whoever reads a rejection.                *)
Allowed ==
    UNION {
        When(ENABLED Emit(TRUE), "emit: true"),
        When(ENABLED Emit(FALSE), "emit: false"),
        When(ENABLED Finish("completed", TRUE), "finish: true"),
        When(ENABLED Finish("completed", FALSE), "finish: false"),
        When(ENABLED WorkBegin(TRUE), "work_begin: true"),
        When(ENABLED WorkBegin(FALSE), "work_begin: false"),
        When(ENABLED Cancel(TRUE), "cancel: accepted"),
        When(ENABLED Cancel(FALSE), "cancel: ignored"),
        When(ENABLED HookStart, "the hook is called"),
        When(ENABLED HookReturn, "the hook returns"),
        When(ENABLED KeepCancellation, "the cancellation is kept"),
        When(ENABLED KeepDrained, "drained is kept"),
        UNION {LET n == place[t] IN
               When(n # 0 /\ ENABLED Deliver(n),
                    "tap " \o ToString(t) \o " is handed seq " \o ToString(tap[n].at))
               \cup When(n # 0 /\ ENABLED Unpark(n), "the callback of tap " \o ToString(t) \o " returns")
               \cup When(n # 0 /\ ENABLED Done(n), "tap " \o ToString(t) \o " is told done")
               : t \in DOMAIN place}}

Shown ==
    [closed |-> closed, result |-> result, accepted |-> Len(log), sections |-> sections, drained |-> drained,
     claimed |-> claimed, cancelled |-> cancelled, hook |-> hook, in_flight |-> inFlight, taken |-> taken,
     taps |-> [t \in DOMAIN place |->
        IF place[t] = 0 THEN "not started"
        ELSE LET one == tap[place[t]] IN
             [phase |-> one.phase, next |-> one.at, in_callback |-> one.parked, done |-> one.done]]]

Reject ==
    /\ verdict = "open"
    /\ ~ENABLED Advance
    /\ PrintT("REJECTED;" \o ToString(file) \o ";" \o ToString(line) \o ";" \o ToString(Shown) \o ";"
              \o ToString(IF Record.k = "end" THEN Owed ELSE Allowed))
    /\ verdict' = "rejected"
    /\ UNCHANGED <<vars, file, line, search>>

Accept ==
    /\ verdict = "accepted"
    /\ PrintT("ACCEPTED;" \o ToString(file))
    /\ verdict' = "told"
    /\ UNCHANGED <<vars, file, line, search>>

TraceSpec == TraceInit /\ [][Advance \/ Reject \/ Accept]_traceVars

(* The sequences are left out: their lengths say all that the search needs. *)
TraceView ==
    <<file, line, search, verdict, closed, result, Len(log), sections, drained, claimed, cancelled, hook,
      [t \in DOMAIN tap |-> <<tap[t].phase, tap[t].at, tap[t].parked, tap[t].done>>]>>

(* Whatever was read is a step of Run, or none at all.                      *)
OnlyRunProp == [][Next]_vars
=============================================================================
