------------------------------- MODULE MCRun -------------------------------
(* Bounds for Run, and a name of its own for every operation, argument and  *)
(* answer: the names are the labels of the exported graph.  A label is the  *)
(* name of a definition that is a conjunction; that is why a definition     *)
(* here always is one.                                                      *)
EXTENDS RunProbes

CONSTANTS
    MaxEvents,     \* events emitted, the terminal not counted
    MaxSections,   \* work sections open at once
    Parking,       \* the taps whose callback may park
    TwoTapEnds     \* the outcomes with which a run that has two taps may end

MayEnd(outcome) == Len(tap) < 2 \/ outcome \in TwoTapEnds

EmitTrue                == Len(log) < MaxEvents /\ Emit(TRUE)
EmitFalse               == TRUE /\ Emit(FALSE)
EmitTerminalRefused     == TRUE /\ EmitTerminal("refused")
EmitTerminalFalse       == TRUE /\ EmitTerminal("false")
FinishCompletedTrue     == MayEnd("completed") /\ Finish("completed", TRUE)
FinishCompletedFalse    == TRUE /\ Finish("completed", FALSE)
FinishFailedTrue        == MayEnd("failed") /\ Finish("failed", TRUE)
FinishFailedFalse       == TRUE /\ Finish("failed", FALSE)
FinishCancelledTrue     == MayEnd("cancelled") /\ Finish("cancelled", TRUE)
FinishCancelledFalse    == TRUE /\ Finish("cancelled", FALSE)
FinishNonTerminalRefused == TRUE /\ FinishNonTerminal("refused")
FinishNonTerminalFalse  == TRUE /\ FinishNonTerminal("false")
CancelAccepted          == TRUE /\ Cancel(TRUE)
CancelIgnored           == TRUE /\ Cancel(FALSE)
WorkBeginTrue           == sections < MaxSections /\ WorkBegin(TRUE)
WorkBeginFalse          == TRUE /\ WorkBegin(FALSE)
WorkDonePaired          == TRUE /\ WorkDone(FALSE)
WorkDoneStray           == TRUE /\ WorkDone(TRUE)
Tap1                    == tap = <<>> /\ Tap
Tap2                    == Len(tap) = 1 /\ result \in TwoTapEnds \cup {"planned"} /\ Tap
CloseTap1               == 1 \in Taps /\ CloseTap(1)
CloseTap2               == 2 \in Taps /\ CloseTap(2)
Unpark1                 == 1 \in Taps /\ Unpark(1)
Unpark2                 == 2 \in Taps /\ Unpark(2)
Deliver1                == 1 \in Taps /\ Deliver(1)
Deliver2                == 2 \in Taps /\ Deliver(2)
DeliverAndPark1         == 1 \in Parking /\ DeliverAndPark(1)
DeliverAndPark2         == 2 \in Parking /\ DeliverAndPark(2)
Done1                   == 1 \in Taps /\ Done(1)
Done2                   == 2 \in Taps /\ Done(2)

MCNext ==
    \/ EmitTrue \/ EmitFalse \/ EmitTerminalRefused \/ EmitTerminalFalse
    \/ FinishCompletedTrue \/ FinishCompletedFalse
    \/ FinishFailedTrue \/ FinishFailedFalse
    \/ FinishCancelledTrue \/ FinishCancelledFalse
    \/ FinishNonTerminalRefused \/ FinishNonTerminalFalse
    \/ CancelAccepted \/ CancelIgnored \/ HookReturn
    \/ WorkBeginTrue \/ WorkBeginFalse \/ WorkDonePaired \/ WorkDoneStray
    \/ Tap1 \/ Tap2 \/ CloseTap1 \/ CloseTap2 \/ Unpark1 \/ Unpark2
    \/ KeepCancellation \/ HookStart \/ KeepDrained
    \/ Deliver1 \/ Deliver2 \/ DeliverAndPark1 \/ DeliverAndPark2 \/ Done1 \/ Done2

MCSafety == Init /\ [][MCNext]_vars
MCSpec   == MCSafety /\ Fairness

(* The names above add nothing to what Run allows. *)
OnlyRunProp == [][Next]_vars
=============================================================================
