// Package agentrun is a run of an agent in Go: the contract of the handle, with a mutex, and a goroutine for each tap
// while it has something to deliver. The standard library is all it needs.
package agentrun

import (
	"crypto/rand"
	"fmt"
	"sync"
)

// Run is the handle on one agent run. All its methods may be called from any goroutine, from any callback, as often as
// wanted, and after the end; none but Cancel waits for foreign code. The zero Run is of no use: call New.
//
// Foreign code (subscribers, the hook, continuations) never runs while the mutex is held.
type Run struct {
	Result       *Promise // map[string]any: outcome, final, messages, error, attempts, reason, and spent if it was given
	Cancellation *Promise // true
	Drained      *Promise // true

	id        string
	mutex     sync.Mutex
	onCancel  func()
	hookIsOut bool
	sections  int
	seq       int
	backlog   []Event // what waits for the first tap
	tapped    bool    // the first tap has come, and taken the backlog
	taps      map[*Tap]struct{}
}

// Option is an option of New.
type Option func(*Run)

// WithID gives the run an id, which may be any string. Without one it gets a fresh UUID.
func WithID(id string) Option { return func(run *Run) { run.id = id } }

// OnCancel gives the run a hook. The first Cancel of the open run calls it, once, on its own goroutine.
func OnCancel(hook func()) Option { return func(run *Run) { run.onCancel = hook } }

// New makes an open run. It starts no goroutine.
func New(options ...Option) *Run {
	run := &Run{id: newID(), taps: map[*Tap]struct{}{}}
	run.Result, run.Cancellation, run.Drained = newPromise(&run.mutex), newPromise(&run.mutex), newPromise(&run.mutex)
	for _, option := range options {
		option(run)
	}
	return run
}

// ID is the run's id; the events that it publishes carry it.
func (run *Run) ID() string { return run.id }

// IsDone tells whether the result is kept. It never turns back.
func (run *Run) IsDone() bool { return run.Result.Kept() }

// IsCancelled tells whether the cancellation is kept. It never turns back.
func (run *Run) IsCancelled() bool { return run.Cancellation.Kept() }

// Cancel asks the driver to stop: it keeps the cancellation, calls the hook and waits for that. Only the first Cancel of
// an open run does anything. It stops nothing by itself; the driver finishes the run, with whatever terminal.
func (run *Run) Cancel() {
	run.mutex.Lock()
	if run.Result.kept || run.Cancellation.kept {
		run.mutex.Unlock()
		return
	}
	run.Cancellation.keep(true)
	hook := run.onCancel
	run.hookIsOut = hook != nil // so that drained also means that no hook is running
	run.mutex.Unlock()
	if hook == nil {
		return
	}
	shielded(hook)
	run.mutex.Lock()
	defer run.mutex.Unlock()
	run.hookIsOut = false
	run.drainIfDue()
}

// Emit accepts an event: a copy of it gets the run's id and the next seq, and goes to all taps. False means that the run
// is finished and nothing happened. It is an error to emit a terminal, or an Event that NewEvent did not make.
func (run *Run) Emit(event Event) (bool, error) {
	if err := event.check(false); err != nil {
		return false, err
	}
	run.mutex.Lock()
	defer run.mutex.Unlock()
	if run.Result.kept {
		return false, nil
	}
	run.publish(event)
	return true, nil
}

// Finish ends the run: in one step it keeps the result and publishes the terminal. False means that the run was finished
// before, and nothing changes. The outcome may have final, messages, error, attempts, reason and spent, all plain data,
// which is copied; its outcome is that of the terminal. An error leaves the run open: the event is no terminal, the
// outcome has a key that is not known, or something that is not plain data.
func (run *Run) Finish(terminal Event, outcome map[string]any) (bool, error) {
	if err := terminal.check(true); err != nil {
		return false, err
	}
	result, err := newResult(terminal, outcome)
	if err != nil {
		return false, err
	}
	run.mutex.Lock()
	defer run.mutex.Unlock()
	if run.Result.kept {
		return false, nil
	}
	run.Result.keep(result)
	run.publish(terminal)
	run.drainIfDue()
	return true, nil
}

// WorkBegin opens a work section, which holds Drained until its WorkDone. False means that the run is finished and
// nothing was counted.
func (run *Run) WorkBegin() bool {
	run.mutex.Lock()
	defer run.mutex.Unlock()
	if run.Result.kept {
		return false
	}
	run.sections++
	return true
}

// WorkDone closes a work section. Without an open one it does nothing.
func (run *Run) WorkDone() {
	run.mutex.Lock()
	defer run.mutex.Unlock()
	if run.sections > 0 {
		run.sections--
	}
	run.drainIfDue()
}

// drainIfDue keeps Drained once nothing produces any more. The mutex is held.
func (run *Run) drainIfDue() {
	if run.Result.kept && run.sections == 0 && !run.hookIsOut && !run.Drained.kept {
		run.Drained.keep(true)
	}
}

// publish stamps a copy of the event and hands it to every tap's queue. The mutex is held.
func (run *Run) publish(event Event) {
	stamped := event.stamped(run.id, run.seq)
	run.seq++
	if !run.tapped {
		run.backlog = append(run.backlog, stamped)
	}
	for tap := range run.taps {
		tap.queue(stamped)
	}
}

var defaults = map[string]any{"final": "", "messages": []any{}, "error": nil, "attempts": []any{}, "reason": nil}

func newResult(terminal Event, given map[string]any) (map[string]any, error) {
	result := map[string]any{"outcome": terminal.outcome()}
	for key, value := range defaults {
		result[key] = cloned(value)
	}
	for key, value := range given {
		if _, known := defaults[key]; !known && key != "spent" && key != "outcome" {
			return nil, fmt.Errorf("finish knows no %q", key)
		}
		if key == "outcome" || key == "spent" && value == nil {
			continue // the terminal decides the one, and a spent of nothing was not given
		}
		copied, err := copied(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		result[key] = copied
	}
	return result, nil
}

// shielded calls foreign code; its panics go no further.
func shielded(call func()) {
	defer func() { _ = recover() }()
	call()
}

// newID makes a UUID of version 4.
func newID() string {
	var id [16]byte
	if _, err := rand.Read(id[:]); err != nil {
		panic(err) // the system has no randomness
	}
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
