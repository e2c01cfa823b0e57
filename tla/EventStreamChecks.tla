------------------------- MODULE EventStreamChecks -------------------------
(* What EventStream must fulfil.                                            *)
EXTENDS EventStream

(* State invariants *)

(* VIEW-1, VIEW-2, VIEW-3, VIEW-4: what is shown is what was committed and  *)
(* the open scope.                                                          *)
ShownInv ==
    /\ view.conversation = committed
    /\ view.streaming = IF turn \in {"attempt", "answered", "marked"} THEN streamed ELSE <<>>

(* VIEW-5: tokens make no difference but to the open scope.                 *)
QuietInv == quiet = [view EXCEPT !.streaming = <<>>]

(* VIEW-7: only what was answered with an error is shown as failed, and     *)
(* unknown is what was abandoned after dispatch.                            *)
CallShownInv ==
    \A c \in Calls :
        /\ (view.calls[c] = "none") = (call[c] = "none")
        /\ (view.calls[c] = "proposed") = (call[c] = "proposed")
        /\ (view.calls[c] = "running") = (call[c] = "started")
        /\ (view.calls[c] = "answered") = (call[c] = "result")
        /\ (view.calls[c] = "failed") = (call[c] = "error")
        /\ (view.calls[c] = "not-run") = (call[c] = "undispatched")
        /\ (view.calls[c] = "unknown") = (call[c] = "dispatched")

(* GRAM-1, SUB-3, VIEW-6: the stream is over for a consumer at its own      *)
(* terminal.                                                                *)
EndShownInv == view.ended = ended

(* FRAME-6, TOOL-1, PARK-2: nothing but operations is open at the end.      *)
NothingOpenInv == ended # "no" => turn = "none" /\ ~parked /\ \A c \in Calls : ~IsOpen(c)

(* After any prefix a consumer comes back to what is committed by one       *)
(* record, which the driver may publish.  FRAME-3, FRAME-4, VIEW-3, VIEW-4  *)
BackInv ==
    view.streaming # <<>> =>
        ENABLED (EndScope /\ view'.streaming = <<>> /\ view'.conversation = committed')

(* FRAME-1: there is a token where an attempt is open, and nowhere else.    *)
TokenInv == ended = "no" => (ENABLED Token) = (turn = "attempt")

(* FRAME-2, FRAME-3, FRAME-4: an attempt and a turn end once, and a success *)
(* is not passed over.                                                      *)
TurnOnceInv ==
    /\ ENABLED (AttemptFailed \/ AttemptSucceeded) => turn = "attempt"
    /\ ENABLED AttemptStarted => turn \in {"none", "between"}
    /\ ENABLED (AttemptOfNextRound \/ RoundStarted) => turn = "none"
    /\ turn = "none" => ~ENABLED (TurnCommitted \/ AssistantMessage(Unstreamed) \/ TurnDiscarded("cancelled"))

(* TOOL-1, TOOL-2, TOOL-3: a call ends at most once, and only after it      *)
(* started as dispatched.                                                   *)
CallOnceInv ==
    \A c \in Calls :
        /\ call[c] \in Ends \cup {"none"} => ~ENABLED (EndCall(c) \/ ToolProgress(c) \/ ToolStarted(c))
        /\ c \in spent => ~ENABLED ToolCall(c)
        /\ ENABLED ToolAbandoned(c, TRUE) => call[c] = "started"
        /\ ENABLED ToolAbandoned(c, FALSE) => call[c] = "proposed"

(* BG-1, BG-2: an operation settles at most once, and is delivered at most  *)
(* once.                                                                    *)
OpOnceInv ==
    \A o \in Ops :
        /\ o \in waiting => ~ENABLED (BackgroundOpSettled(o, TRUE) \/ BackgroundOpStarted(o))
        /\ o \in Started => ~ENABLED (BackgroundOpDelivered(o) \/ BackgroundOpStarted(o))
        /\ ~(o \in Started /\ o \in waiting)

(* PARK-1: parks alternate with resumes, and the inventory is in the order  *)
(* of the starts; what settles meanwhile leaves gaps.                       *)
ParkInv ==
    /\ (ENABLED RunResumed) = parked
    /\ parked => ~ENABLED RunParked
    /\ parked => started = SelectSeq(inventory, LAMBDA o : o \in Started)
----------------------------------------------------------------------------
(* Properties of steps *)

(* GRAM-3: rounds do not go back, attempts go up by one within theirs.      *)
CountProp ==
    [][/\ round' >= round
       /\ attempt' \in IF round' = round THEN {attempt, attempt + 1} ELSE {0, 1}
       /\ turn' = "attempt" /\ turn # "attempt" => attempt' = IF round' = round THEN attempt + 1 ELSE 1]_vars

(* VIEW-1 to VIEW-4: a scope grows by tokens, and leaves the screen only    *)
(* when its turn is committed or taken back, and not both.                  *)
ScopeProp ==
    [][LET grown == view'.streaming # <<>> /\ view.streaming = SubSeq(view'.streaming, 1, Len(view.streaming))
           kept  == Len(view'.conversation) = Len(view.conversation) + 1
       IN  view'.streaming # view.streaming =>
            \/ grown /\ turn = "attempt"
            \/ view'.streaming = <<>> /\ kept = (committed' # committed)]_vars

(* VIEW-2, VIEW-3, VIEW-5: what is committed is never taken back.           *)
KeptProp ==
    [][view'.conversation = view.conversation \/ \E text \in {view.streaming, <<>>, Unstreamed} :
            view'.conversation = Append(view.conversation, text)]_vars

(* FRAME-5: where tokens were streamed, they are what is committed, or the  *)
(* message has no text.                                                     *)
TextProp ==
    [][committed' # committed /\ streamed # <<>> => committed'[Len(committed')] \in {streamed, <<>>}]_vars

(* PARK-2: a parked run does nothing.                                       *)
ParkedProp == [][parked => UNCHANGED <<turning, calling, ended, view>>]_vars

(* SUB-1: the records of a child are counted from 0 in each of its runs,    *)
(* and none follows its terminal but a restart.                             *)
ChildProp ==
    [][\A a \in Agents :
        \/ child'[a] = child[a]
        \/ child'[a].run = child[a].run + 1 /\ child'[a].seq = 1 /\ ~child'[a].over
        \/ child'[a].run = child[a].run /\ ~child[a].over /\ child'[a].seq = child[a].seq + 1]_vars

(* SUB-1, SUB-3, VIEW-6: what a child does changes nothing of its parent.   *)
ChildAloneProp ==
    [][child' # child => UNCHANGED <<turning, calling, operating, parking, ended, view, quiet>>]_vars

(* GRAM-1: nothing follows the terminal.                                    *)
LastProp == [][ended = "no"]_vars
----------------------------------------------------------------------------
(* Properties of behaviours *)

(* FRAME-3, FRAME-4, VIEW-3, VIEW-4: whatever is streamed is committed or   *)
(* taken back.                                                              *)
ScopesEndProp == (view.streaming # <<>>) ~> (view.streaming = <<>>)

(* TOOL-1: every call ends.                                                 *)
CallsEndProp == \A c \in Calls : IsOpen(c) ~> ~IsOpen(c)

(* PARK-1: every park ends.                                                 *)
ParksEndProp == parked ~> ~parked
============================================================================
