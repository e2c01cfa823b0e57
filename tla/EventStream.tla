---------------------------- MODULE EventStream ----------------------------
(* The stream that a driver publishes, and what a consumer shows of it.     *)
(*                                                                          *)
(* An action is one record of the stream: the driver may publish it where   *)
(* the grammar has a place for it, and the consumer is handed it in the     *)
(* same step.  The consumer knows nothing but the records.  Its counterpart *)
(* are the variables committed, streamed and call, in which the driver      *)
(* remembers what is true.  Records that open and close nothing are one     *)
(* action, Log.  A text is a sequence of pieces; a child is known by the    *)
(* place of its next record only, for its stream is this machine again.     *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
    Calls,         \* the ids of tool calls
    Ops,           \* the ids of background operations
    Agents         \* the ids of children

VARIABLES
    round,         \* the round of the stream; 0: none yet                         GRAM-3
    attempt,       \* the latest attempt of this round; 0: none yet                GRAM-3
    turn,          \* where the turn is: see Turns                                 FRAME-2, FRAME-4
    streamed,      \* the tokens of the open scope                                 FRAME-1, FRAME-5
    committed,     \* the texts of the committed messages                          FRAME-4, FRAME-5
    call,          \* where each call is: see CallStates                           TOOL-1, TOOL-2
    spent,         \* the calls that have ended in this round                      TOOL-3
    started,       \* the open operations, in the order of their start             BG-1, PARK-1
    waiting,       \* the operations that wait for delivery                        BG-2
    parked,        \* the run is parked                                            PARK-1, PARK-2
    inventory,     \* what the latest run-parked says that the run waits for       PARK-1
    child,         \* per child: its run, the seq of its next record, its end      SUB-1
    ended,         \* "no", or the kind of the terminal                            GRAM-1, FRAME-6
    view,          \* what a consumer shows                                        VIEW-1 to VIEW-7
    quiet          \* what a consumer shows that ignores tokens                    VIEW-5

turning   == <<round, attempt, turn, streamed, committed>>
calling   == <<call, spent>>
operating == <<started, waiting>>
parking   == <<parked, inventory>>
driver    == <<turning, calling, operating, parking, child, ended>>
vars      == <<driver, view, quiet>>

(* attempt: one is open; between: it failed; marked: the turn-committed     *)
(* came and the assistant-message is to come; messaged: the other way.      *)
Turns      == {"none", "attempt", "between", "answered", "messaged", "marked"}
Ends       == {"result", "error", "undispatched", "dispatched"}
CallStates == {"none", "proposed", "started"} \cup Ends
Terminals  == {"run-completed", "run-failed", "run-cancelled"}
Reasons    == {"limit", "failed", "cancelled"}
Unstreamed == <<0>>            \* the text of a message of which nothing was streamed

IsOpen(c) == call[c] \in {"proposed", "started"}
Started   == {started[i] : i \in DOMAIN started}
Without(sequence, gone) == SelectSeq(sequence, LAMBDA each : each # gone)
----------------------------------------------------------------------------
(* The consumer *)

Nothing == [conversation |-> <<>>, streaming |-> <<>>, calls |-> [c \in Calls |-> "none"], ended |-> "no"]

(* VIEW-7: what was handed over and never answered is unknown, not failed.  *)
CallShown(record) ==
    CASE record.kind = "tool-call" -> "proposed"
      [] record.kind \in {"tool-started", "tool-progress"} -> "running"
      [] record.kind = "tool-result" -> IF record.flag THEN "failed" ELSE "answered"
      [] record.kind = "tool-abandoned" -> IF record.flag THEN "unknown" ELSE "not-run"

(* What a view becomes at a record.  VIEW-1 to VIEW-4, VIEW-6, VIEW-7       *)
Show(shown, record) ==
    CASE record.kind = "token" -> [shown EXCEPT !.streaming = Append(@, record.text)]
      [] record.kind \in {"attempt-started", "attempt-failed", "turn-discarded"} ->
            [shown EXCEPT !.streaming = <<>>]
      [] record.kind = "assistant-message" ->
            [shown EXCEPT !.streaming = <<>>, !.conversation = Append(@, record.text)]
      [] record.kind \in {"tool-call", "tool-started", "tool-progress", "tool-result", "tool-abandoned"} ->
            [shown EXCEPT !.calls[record.id] = CallShown(record)]
      [] record.kind \in Terminals -> [shown EXCEPT !.ended = record.kind]
      [] OTHER -> shown

Publish(record) ==
    /\ ended = "no"
    /\ view' = Show(view, record)
    /\ quiet' = IF record.kind = "token" THEN quiet ELSE Show(quiet, record)

(* Whatever may not come while the run is parked.  PARK-2                   *)
Act(record) == ~parked /\ Publish(record)
----------------------------------------------------------------------------
Init ==
    /\ round = 0 /\ attempt = 0 /\ turn = "none" /\ streamed = <<>> /\ committed = <<>>
    /\ call = [c \in Calls |-> "none"] /\ spent = {}
    /\ started = <<>> /\ waiting = {}
    /\ parked = FALSE /\ inventory = <<>>
    /\ child = [a \in Agents |-> [run |-> 0, seq |-> 0, over |-> FALSE]]
    /\ ended = "no"
    /\ view = Nothing /\ quiet = Nothing

TypeOK ==
    /\ round \in Nat /\ attempt \in Nat /\ turn \in Turns
    /\ \A i \in DOMAIN streamed : streamed[i] \in Nat
    /\ \A i \in DOMAIN committed : \A j \in DOMAIN committed[i] : committed[i][j] \in Nat
    /\ call \in [Calls -> CallStates] /\ spent \subseteq Calls
    /\ Started \subseteq Ops /\ Len(started) = Cardinality(Started) /\ waiting \subseteq Ops
    /\ parked \in BOOLEAN /\ \A i \in DOMAIN inventory : inventory[i] \in Ops
    /\ \A a \in Agents : child[a].run \in Nat /\ child[a].seq \in Nat /\ child[a].over \in BOOLEAN
    /\ ended \in Terminals \cup {"no"}
    /\ {view.ended, quiet.ended} \subseteq Terminals \cup {"no"}
----------------------------------------------------------------------------
(* Attempts and turns.  A scope is opened by attempt-started, and ended by  *)
(* attempt-failed, assistant-message or turn-discarded.                     *)

(* Ids of calls that have ended may be used again.  GRAM-3, TOOL-3          *)
RoundStarted ==
    /\ turn = "none"
    /\ Act([kind |-> "round-started"])
    /\ round' = round + 1 /\ attempt' = 0 /\ spent' = {}
    /\ UNCHANGED <<turn, streamed, committed, call, operating, parking, child, ended>>

(* GRAM-3, FRAME-2, FRAME-3, FRAME-4, VIEW-1                                *)
AttemptStarted ==
    /\ round > 0 /\ turn \in {"none", "between"}
    /\ Act([kind |-> "attempt-started"])
    /\ attempt' = attempt + 1 /\ turn' = "attempt" /\ streamed' = <<>>
    /\ UNCHANGED <<round, committed, calling, operating, parking, child, ended>>

(* An attempt may begin the next round itself.  GRAM-3, TOOL-3              *)
AttemptOfNextRound ==
    /\ turn = "none"
    /\ Act([kind |-> "attempt-started"])
    /\ round' = round + 1 /\ attempt' = 1 /\ turn' = "attempt" /\ streamed' = <<>> /\ spent' = {}
    /\ UNCHANGED <<committed, call, operating, parking, child, ended>>

(* Each token of a round has another text.  FRAME-1, VIEW-1                 *)
Token ==
    LET text == 10 * attempt + Len(streamed) + 1 IN
    /\ turn = "attempt"
    /\ Act([kind |-> "token", text |-> text])
    /\ streamed' = Append(streamed, text)
    /\ UNCHANGED <<round, attempt, turn, committed, calling, operating, parking, child, ended>>

(* FRAME-2, VIEW-2                                                          *)
AttemptFailed ==
    /\ turn = "attempt"
    /\ Act([kind |-> "attempt-failed"])
    /\ turn' = "between" /\ streamed' = <<>>
    /\ UNCHANGED <<round, attempt, committed, calling, operating, parking, child, ended>>

(* The transport worked; that commits nothing yet.  FRAME-2, FRAME-3        *)
AttemptSucceeded ==
    /\ turn = "attempt"
    /\ Act([kind |-> "attempt-succeeded"])
    /\ turn' = "answered"
    /\ UNCHANGED <<round, attempt, streamed, committed, calling, operating, parking, child, ended>>

(* The text of a message is what was streamed, where anything was; a        *)
(* content without a text commits an empty one.  FRAME-4, FRAME-5, VIEW-4   *)
AssistantMessage(text) ==
    /\ turn \in {"answered", "marked"}
    /\ text \in {<<>>, IF streamed = <<>> THEN Unstreamed ELSE streamed}
    /\ Act([kind |-> "assistant-message", text |-> text])
    /\ turn' = IF turn = "marked" THEN "none" ELSE "messaged"
    /\ committed' = Append(committed, text) /\ streamed' = <<>>
    /\ UNCHANGED <<round, attempt, calling, operating, parking, child, ended>>

(* Beside its assistant-message, before it or after it.  FRAME-4            *)
TurnCommitted ==
    /\ turn \in {"answered", "messaged"}
    /\ Act([kind |-> "turn-committed"])
    /\ turn' = IF turn = "messaged" THEN "none" ELSE "marked"
    /\ UNCHANGED <<round, attempt, streamed, committed, calling, operating, parking, child, ended>>

(* Only a cancelled turn takes an open attempt with it.  FRAME-2, FRAME-3,  *)
(* FRAME-4, FRAME-6, VIEW-3, decision 11                                    *)
TurnDiscarded(reason) ==
    /\ turn \in {"between", "answered"} \/ (turn = "attempt" /\ reason = "cancelled")
    /\ Act([kind |-> "turn-discarded"])
    /\ turn' = "none" /\ streamed' = <<>>
    /\ UNCHANGED <<round, attempt, committed, calling, operating, parking, child, ended>>
----------------------------------------------------------------------------
(* Tool calls *)

Move(c, state, record) ==
    /\ Act(record)
    /\ call' = [call EXCEPT ![c] = state]
    /\ spent' = IF state \in Ends THEN spent \cup {c} ELSE spent
    /\ UNCHANGED <<turning, operating, parking, child, ended>>

(* TOOL-1, TOOL-3                                                           *)
ToolCall(c) ==
    /\ ~IsOpen(c) /\ c \notin spent
    /\ Move(c, "proposed", [kind |-> "tool-call", id |-> c])

(* TOOL-1                                                                   *)
ToolStarted(c) ==
    /\ call[c] = "proposed"
    /\ Move(c, "started", [kind |-> "tool-started", id |-> c])

(* TOOL-1                                                                   *)
ToolProgress(c) ==
    /\ call[c] = "started"
    /\ Move(c, "started", [kind |-> "tool-progress", id |-> c])

(* Also of a call that is refused before the tool sees it.  TOOL-1, VIEW-7  *)
ToolResult(c, isError) ==
    /\ IsOpen(c)
    /\ Move(c, IF isError THEN "error" ELSE "result", [kind |-> "tool-result", id |-> c, flag |-> isError])

(* The flag says whether a tool-started came.  TOOL-1, TOOL-2, VIEW-7       *)
ToolAbandoned(c, dispatched) ==
    /\ IsOpen(c) /\ dispatched = (call[c] = "started")
    /\ Move(c, IF dispatched THEN "dispatched" ELSE "undispatched",
            [kind |-> "tool-abandoned", id |-> c, flag |-> dispatched])
----------------------------------------------------------------------------
(* Background operations, and the run that waits for them *)

(* An id may be used again when its operation is over.  BG-1                *)
BackgroundOpStarted(o) ==
    /\ o \notin Started \cup waiting
    /\ Act([kind |-> "background-op-started"])
    /\ started' = Append(started, o)
    /\ UNCHANGED <<turning, calling, waiting, parking, child, ended>>

(* Collected: somebody had waited for it, and no delivery comes.  Otherwise *)
(* one is owed.  It may come while the run is parked.  BG-1, BG-2, PARK-2   *)
BackgroundOpSettled(o, collected) ==
    /\ o \in Started
    /\ Publish([kind |-> "background-op-settled"])
    /\ started' = Without(started, o)
    /\ waiting' = IF collected THEN waiting ELSE waiting \cup {o}
    /\ UNCHANGED <<turning, calling, parking, child, ended>>

(* BG-2                                                                     *)
BackgroundOpDelivered(o) ==
    /\ o \in waiting
    /\ Act([kind |-> "background-op-delivered"])
    /\ waiting' = waiting \ {o}
    /\ UNCHANGED <<turning, calling, started, parking, child, ended>>

(* The model has finished its turn, and its calls have ended: the rules ask *)
(* for neither, drivers do.  The inventory may be empty.  PARK-1            *)
RunParked ==
    /\ turn = "none" /\ \A c \in Calls : ~IsOpen(c)
    /\ Act([kind |-> "run-parked"])
    /\ parked' = TRUE /\ inventory' = started
    /\ UNCHANGED <<turning, calling, operating, child, ended>>

(* PARK-1                                                                   *)
RunResumed ==
    /\ parked
    /\ Publish([kind |-> "run-resumed"])
    /\ parked' = FALSE /\ inventory' = <<>>
    /\ UNCHANGED <<turning, calling, operating, child, ended>>
----------------------------------------------------------------------------
(* Children, and the end *)

Child(a, next) ==
    /\ Publish([kind |-> "subagent"])
    /\ child' = [child EXCEPT ![a] = next]
    /\ UNCHANGED <<turning, calling, operating, parking, ended>>

(* The first record of a child, or of its restart.  SUB-1                   *)
ChildBegins(a) == Child(a, [run |-> child[a].run + 1, seq |-> 1, over |-> FALSE])

(* Any further record of a child, its tokens for instance.  SUB-1, VIEW-6   *)
ChildGoesOn(a) ==
    /\ child[a].run > 0 /\ ~child[a].over
    /\ Child(a, [child[a] EXCEPT !.seq = @ + 1])

(* A terminal of the child's, whichever.  SUB-1, SUB-3, VIEW-6              *)
ChildEnds(a) ==
    /\ child[a].run > 0 /\ ~child[a].over
    /\ Child(a, [child[a] EXCEPT !.seq = @ + 1, !.over = TRUE])

(* What opens and closes nothing, and may come at any time.  PARK-2         *)
Log == Publish([kind |-> "log"]) /\ UNCHANGED driver

(* Operations may be open or wait for delivery (decision 10), and children  *)
(* may go on.  GRAM-1, FRAME-6, TOOL-1, PARK-2, SUB-3                       *)
Terminal(kind) ==
    /\ turn = "none" /\ \A c \in Calls : ~IsOpen(c)
    /\ Act([kind |-> kind])
    /\ ended' = kind
    /\ UNCHANGED <<turning, calling, operating, parking, child>>
----------------------------------------------------------------------------
(* The stream is over.                                                      *)
Over == ended # "no" /\ UNCHANGED vars

Next ==
    \/ Over
    \/ RoundStarted \/ AttemptStarted \/ AttemptOfNextRound \/ Token \/ AttemptFailed \/ AttemptSucceeded \/ TurnCommitted
    \/ \E text \in {<<>>, Unstreamed, streamed} : AssistantMessage(text)
    \/ \E reason \in Reasons : TurnDiscarded(reason)
    \/ \E c \in Calls :
        \/ ToolCall(c) \/ ToolStarted(c) \/ ToolProgress(c)
        \/ \E flag \in BOOLEAN : ToolResult(c, flag) \/ ToolAbandoned(c, flag)
    \/ \E o \in Ops :
        \/ BackgroundOpStarted(o) \/ BackgroundOpDelivered(o)
        \/ \E collected \in BOOLEAN : BackgroundOpSettled(o, collected)
    \/ RunParked \/ RunResumed \/ Log
    \/ \E a \in Agents : ChildBegins(a) \/ ChildGoesOn(a) \/ ChildEnds(a)
    \/ \E kind \in Terminals : Terminal(kind)

(* What the driver owes: what it has opened, it closes.                     *)
EndScope   == AttemptFailed \/ (\E text \in {<<>>, Unstreamed, streamed} : AssistantMessage(text))
              \/ (\E reason \in Reasons : TurnDiscarded(reason))
EndCall(c) == \E flag \in BOOLEAN : ToolResult(c, flag) \/ ToolAbandoned(c, flag)

Fairness ==
    /\ WF_vars(EndScope)
    /\ \A c \in Calls : SF_vars(EndCall(c))        \* a park may come between
    /\ WF_vars(RunResumed)

Safety == Init /\ [][Next]_vars
Spec   == Safety /\ Fairness
============================================================================
