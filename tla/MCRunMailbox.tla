---------------------------- MODULE MCRunMailbox ----------------------------
(* Bounds for RunMailbox: who calls what, and from where. *)
EXTENDS RunMailboxChecks

AllClients(script) == [p \in DOMAIN script |-> "client"]

EmitScript == [d |-> <<"emit", "finish_completed">>, e |-> <<"emit", "emit">>, s |-> <<"tap">>]
EmitWithin == AllClients(EmitScript)

TapScript == [d |-> <<"emit", "finish_completed">>, s |-> <<"tap", "close_1">>, z |-> <<"tap">>]
TapWithin == AllClients(TapScript)

CancelScript == [c |-> <<"cancel", "cancel">>, d |-> <<"emit", "finish_cancelled">>, x |-> <<"cancel">>, s |-> <<"tap">>]
CancelWithin == AllClients(CancelScript)

FinishScript == [d |-> <<"finish_completed">>, e |-> <<"emit">>, f |-> <<"finish_failed", "emit">>, s |-> <<"tap">>]
FinishWithin == AllClients(FinishScript)

WorkScript == [c |-> <<"cancel">>, d |-> <<"work_begin", "finish_failed", "work_done">>,
               v |-> <<"work_begin", "work_done">>, w |-> <<"work_begin", "emit", "work_done">>]
WorkWithin == AllClients(WorkScript)

RogueScript == [c |-> <<"cancel">>, d |-> <<"finish_event", "finish_completed">>,
                r |-> <<"stray_work_done", "emit_terminal", "stray_work_done">>, w |-> <<"work_begin", "work_done">>]
RogueWithin == AllClients(RogueScript)

PromiseScript == [c |-> <<"cancel">>, d |-> <<"work_begin", "finish_completed", "work_done">>,
                  j |-> <<"then_cancellation">>, k |-> <<"then_result">>, l |-> <<"then_drained">>]
PromiseWithin == AllClients(PromiseScript)

LeafScript == [c |-> <<"cancel">>, d |-> <<"finish_completed">>, s |-> <<"tap">>,
               h |-> <<"emit", "work_begin", "work_done", "cancel">>, u |-> <<"emit", "cancel", "close_1">>]
LeafWithin == [c |-> "client", d |-> "client", s |-> "client", h |-> "hook", u |-> "subscriber"]

CallbackScript == [d |-> <<"work_begin", "finish_completed", "work_done">>, e |-> <<"emit">>, j |-> <<"then_result">>,
                   k |-> <<"emit", "finish_failed", "cancel", "then_drained">>]
CallbackWithin == [d |-> "client", e |-> "client", j |-> "client", k |-> "continuation"]

LiveScript == [c |-> <<"cancel">>, d |-> <<"emit", "finish_completed">>, s |-> <<"tap">>]
LiveWithin == AllClients(LiveScript)

LateScript == [d |-> <<"finish_completed">>, e |-> <<"emit">>, s |-> <<"tap">>, z |-> <<"tap">>]
LateWithin == AllClients(LateScript)

OwedScript == [c |-> <<"cancel">>, d |-> <<"finish_cancelled">>, k |-> <<"then_drained">>,
               w |-> <<"work_begin", "work_done">>]
OwedWithin == AllClients(OwedScript)
=============================================================================
