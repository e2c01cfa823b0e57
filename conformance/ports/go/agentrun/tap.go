package agentrun

// Tap is one subscription. Each tap has a queue of its own, and a goroutine while there is something in it: so a
// subscriber that blocks holds up its own tap and nothing else.
type Tap struct {
	run        *Run
	onEvent    func(Event)
	onDone     func()
	events     []Event
	delivering bool
	closed     bool
}

// Tap subscribes to the events. The first tap gets the run from its beginning, however late it comes; a later one gets
// what is accepted from then on, and nothing once the run is finished. After the terminal onDone is called, once.
// Callbacks of one tap come one at a time. One that panics loses that event and nothing else. Never blocks.
func (run *Run) Tap(onEvent func(Event), onDone func()) *Tap {
	run.mutex.Lock()
	defer run.mutex.Unlock()
	tap := &Tap{run: run, onEvent: onEvent, onDone: onDone}
	if run.tapped && run.Result.kept {
		tap.closed = true // it would be handed half an end
		return tap
	}
	run.taps[tap] = struct{}{}
	for _, event := range run.backlog {
		tap.queue(event)
	}
	run.backlog, run.tapped = nil, true
	return tap
}

// Close ends the subscription: once it has returned, nothing is handed to the tap any more. It waits for nobody, so a
// callback may call it. Idempotent. What is published while no tap is open goes to nobody.
func (tap *Tap) Close() {
	tap.run.mutex.Lock()
	defer tap.run.mutex.Unlock()
	tap.closed, tap.events = true, nil
	delete(tap.run.taps, tap)
}

// queue adds an event, and sees to it that somebody delivers it. The mutex is held.
func (tap *Tap) queue(event Event) {
	tap.events = append(tap.events, event)
	if !tap.delivering {
		tap.delivering = true
		go tap.deliver()
	}
}

func (tap *Tap) deliver() {
	for {
		event, some := tap.next()
		if !some {
			return
		}
		shielded(func() { tap.onEvent(event) })
		if event.Terminal() && tap.end() {
			shielded(tap.onDone)
			return
		}
	}
}

// next takes the next event, or ends the delivery, in one step: what is queued after that starts a new one.
func (tap *Tap) next() (Event, bool) {
	tap.run.mutex.Lock()
	defer tap.run.mutex.Unlock()
	if len(tap.events) == 0 {
		tap.delivering = false
		return Event{}, false
	}
	event := tap.events[0]
	tap.events = tap.events[1:]
	return event, true
}

// end lets go of the tap, and tells whether it is still owed its done.
func (tap *Tap) end() bool {
	tap.run.mutex.Lock()
	defer tap.run.mutex.Unlock()
	delete(tap.run.taps, tap)
	return !tap.closed
}
