package agentrun

import "sync"

// Promise is a value that is planned until the run keeps it, and then kept for good. It is never broken. Its methods may
// be called from any goroutine, and none of them blocks; to wait for it, receive from Done.
type Promise struct {
	mutex *sync.Mutex // the run's
	kept  bool
	value any
	done  chan struct{}
	then  []func(any)
}

func newPromise(mutex *sync.Mutex) *Promise {
	return &Promise{mutex: mutex, done: make(chan struct{})}
}

// Kept tells whether the promise is kept. It never turns back.
func (promise *Promise) Kept() bool {
	promise.mutex.Lock()
	defer promise.mutex.Unlock()
	return promise.kept
}

// Done is closed when the promise is kept.
func (promise *Promise) Done() <-chan struct{} { return promise.done }

// Value is a copy of the value for this caller alone; false while the promise is planned.
func (promise *Promise) Value() (any, bool) {
	promise.mutex.Lock()
	defer promise.mutex.Unlock()
	return cloned(promise.value), promise.kept
}

// Then has the continuation called once, with a copy of the value, on a goroutine of its own, as soon as the promise is
// kept. One that blocks or panics harms nobody else.
func (promise *Promise) Then(continuation func(any)) {
	promise.mutex.Lock()
	defer promise.mutex.Unlock()
	if promise.kept {
		promise.call(continuation)
	} else {
		promise.then = append(promise.then, continuation)
	}
}

// keep keeps the promise. The mutex is held; continuations run on other goroutines, which is why they may start here.
func (promise *Promise) keep(value any) {
	promise.kept, promise.value = true, value
	close(promise.done)
	for _, continuation := range promise.then {
		promise.call(continuation)
	}
	promise.then = nil
}

func (promise *Promise) call(continuation func(any)) {
	value := cloned(promise.value)
	go shielded(func() { continuation(value) })
}
