---------------------------- MODULE MCRunMailbox ----------------------------
(* Bounds for RunMailbox: who calls what, and from where. *)
EXTENDS RunMailboxProbes

AllClients(script) == [p \in DOMAIN script |-> "client"]

(* Two emitters, one of them a driver as the sources write it. *)
EmitScript == [d |-> <<"work_begin", "emit", "finish_completed", "work_done">>, e |-> <<"emit", "emit">>, s |-> <<"tap">>]
EmitWithin == AllClients(EmitScript)

(* A tap that closes at any time, and a later one. *)
TapScript == [d |-> <<"emit", "finish_completed">>, s |-> <<"tap", "close_1">>, z |-> <<"tap">>]
TapWithin == AllClients(TapScript)

(* Cancels at once, and a finish. *)
CancelScript == [c |-> <<"cancel", "cancel">>, d |-> <<"emit", "finish_cancelled">>, s |-> <<"tap">>, x |-> <<"cancel">>]
CancelWithin == AllClients(CancelScript)

(* Two finishes and an emit at once. *)
FinishScript == [d |-> <<"finish_completed">>, e |-> <<"emit">>, f |-> <<"finish_failed", "emit">>, s |-> <<"tap">>]
FinishWithin == AllClients(FinishScript)

(* Sections of three threads. *)
WorkScript == [c |-> <<"cancel">>, d |-> <<"work_begin", "finish_failed", "work_done">>,
               v |-> <<"work_begin", "work_done">>, w |-> <<"work_begin", "emit", "work_done">>]
WorkWithin == AllClients(WorkScript)

(* A driver that makes mistakes. *)
RogueScript == [c |-> <<"cancel">>, d |-> <<"finish_event", "finish_completed">>,
                r |-> <<"stray_work_done", "emit_terminal", "stray_work_done">>, w |-> <<"work_begin", "work_done">>]
RogueWithin == AllClients(RogueScript)

(* Continuations on two promises. *)
PromiseScript == [c |-> <<"cancel">>, d |-> <<"finish_completed">>, j |-> <<"then_cancellation">>, k |-> <<"then_result">>]
PromiseWithin == AllClients(PromiseScript)

(* A subscriber and a hook that call everything, through a thread that they *)
(* wait for.                                                                *)
LeafScript == [c |-> <<"cancel">>, d |-> <<"finish_completed">>, s |-> <<"tap">>,
               h |-> <<"emit", "work_begin", "work_done", "cancel">>, u |-> <<"emit", "cancel", "close_1">>]
LeafWithin == [c |-> "client", d |-> "client", s |-> "client", h |-> "hook", u |-> "subscriber"]

(* A continuation that does the same. *)
CallbackScript == [d |-> <<"work_begin", "finish_completed", "work_done">>, e |-> <<"emit">>, j |-> <<"then_result">>,
                   k |-> <<"emit", "finish_failed", "cancel", "then_drained">>]
CallbackWithin == [d |-> "client", e |-> "client", j |-> "client", k |-> "continuation"]

(* One of everything. *)
LiveScript == [c |-> <<"cancel">>, d |-> <<"emit", "finish_completed">>, s |-> <<"tap">>]
LiveWithin == AllClients(LiveScript)

(* An emit and a finish at once. *)
RaceScript == [d |-> <<"finish_completed">>, e |-> <<"emit">>, s |-> <<"tap">>]
RaceWithin == AllClients(RaceScript)

(* A section and a hook that both hold drained. *)
OwedScript == [c |-> <<"cancel">>, d |-> <<"finish_cancelled">>, k |-> <<"then_drained">>,
               w |-> <<"work_begin", "work_done">>]
OwedWithin == AllClients(OwedScript)

(* More than a check has time for, for the deep budget. *)
DeepScript == [c |-> <<"cancel">>, d |-> <<"work_begin", "emit", "finish_completed", "work_done">>,
               e |-> <<"emit">>, s |-> <<"tap", "close_1">>, z |-> <<"tap">>]
DeepWithin == AllClients(DeepScript)
=============================================================================
