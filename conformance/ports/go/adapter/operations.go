package main

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"agentrun/agentrun"
)

// operate performs an operation.
func (port *port) operate(asked request) (any, error) {
	switch asked.Op {
	case "hello":
		return hello(), nil
	case "create":
		return nil, port.create(asked)
	case "open_gate":
		port.gate(asked.Gate).open()
		return nil, nil
	case "close_tap":
		return nil, port.closeTap(asked.Tap)
	case "parallel":
		return port.parallel(asked.Scripts), nil
	case "plain":
		made, err := port.event(asked.Event)
		if err != nil {
			return nil, err
		}
		return made.Plain(), nil
	case "forget":
		port.forget(asked)
		return nil, nil
	}
	run, err := port.run(asked.Run)
	if err != nil {
		return nil, err
	}
	return port.operateOn(run, asked)
}

func (port *port) operateOn(run *agentrun.Run, asked request) (any, error) {
	switch asked.Op {
	case "emit":
		return port.emit(run, asked)
	case "finish":
		terminal, err := port.event(asked.Event)
		if err != nil {
			return nil, err
		}
		return run.Finish(terminal, asked.Outcome)
	case "work_begin":
		return run.WorkBegin(), nil
	case "work_done":
		run.WorkDone()
		return nil, nil
	case "cancel":
		run.Cancel()
		return nil, nil
	case "tap":
		port.tap(run, asked)
		return nil, nil
	case "then":
		promise(run, asked.Promise).Then(func(value any) { port.follow(asked.Script, value) })
		return nil, nil
	case "observe":
		return observed(run), nil
	}
	return nil, fault{"unsupported", "this port has no " + asked.Op}
}

func hello() message {
	capabilities := message{"threads": true, "buffers_gaps": false, "events": true, "given_ts": true}
	return message{
		"protocol": 1, "contract": "1.0", "name": "agentrun", "version": "1.0", "language": "Go",
		"capabilities": capabilities,
	}
}

func (port *port) create(asked request) error {
	var options []agentrun.Option
	if asked.RunID != nil {
		options = append(options, agentrun.WithID(*asked.RunID))
	}
	if asked.Hook != nil {
		options = append(options, agentrun.OnCancel(func() { port.follow(*asked.Hook) }))
	}
	run := agentrun.New(options...)
	port.mutex.Lock()
	defer port.mutex.Unlock()
	port.runs[asked.Run] = run
	return nil
}

func (port *port) emit(run *agentrun.Run, asked request) (any, error) {
	made, err := port.event(asked.Event)
	if err != nil {
		return nil, err
	}
	times := 1
	if asked.Count != nil {
		times = *asked.Count
	}
	all := true
	for ; times > 0; times-- {
		accepted, err := run.Emit(made)
		if err != nil {
			return nil, err
		}
		all = all && accepted
	}
	return all, nil
}

func promise(run *agentrun.Run, name string) *agentrun.Promise {
	return map[string]*agentrun.Promise{
		"result": run.Result, "cancellation": run.Cancellation, "drained": run.Drained,
	}[name]
}

func observed(run *agentrun.Run) message {
	seen := message{"id": run.ID(), "is_done": run.IsDone(), "is_cancelled": run.IsCancelled()}
	for _, name := range []string{"result", "cancellation", "drained"} {
		if value, kept := promise(run, name).Value(); kept {
			seen[name] = message{"status": "kept", "value": value}
		} else {
			seen[name] = message{"status": "planned"}
		}
	}
	return seen
}

// parallel performs lists of operations, each on a goroutine of its own, from one start line.
func (port *port) parallel(scripts [][]request) [][]message {
	replies := make([][]message, len(scripts))
	line, all := make(chan struct{}), sync.WaitGroup{}
	all.Add(len(scripts))
	for number := range scripts {
		go func(number int) {
			defer all.Done()
			replies[number] = []message{}
			<-line
			for _, operation := range scripts[number] {
				start := clock()
				reply, _ := port.perform(operation)
				reply["start"], reply["end"] = start, clock()
				replies[number] = append(replies[number], reply)
			}
		}(number)
	}
	close(line)
	all.Wait()
	return replies
}

var started = time.Now()

func clock() float64 { return time.Since(started).Seconds() }

// forget lets go of what has these labels; unknown ones are passed over.
func (port *port) forget(asked request) {
	for _, label := range asked.Gates {
		port.gate(label).open()
	}
	port.mutex.Lock()
	defer port.mutex.Unlock()
	for _, label := range asked.Runs {
		delete(port.runs, label)
		for name, subscriber := range port.taps {
			if subscriber.run == label {
				delete(port.taps, name)
			}
		}
	}
	for _, label := range asked.Events {
		delete(port.events, label)
	}
	for _, label := range asked.Gates {
		delete(port.gates, label)
	}
}

func (port *port) run(label string) (*agentrun.Run, error) {
	port.mutex.Lock()
	defer port.mutex.Unlock()
	if run, known := port.runs[label]; known {
		return run, nil
	}
	return nil, unknown(label)
}

// event is the event that a request gives.
func (port *port) event(given event) (agentrun.Event, error) {
	port.mutex.Lock()
	defer port.mutex.Unlock()
	if given.Tap != "" {
		subscriber, known := port.taps[given.Tap]
		if !known {
			return agentrun.Event{}, unknown(given.Tap)
		}
		return subscriber.nth(given.Nth)
	}
	if given.Kind == "" {
		return agentrun.Event{}, errors.New("Go's types admit nothing but an Event here")
	}
	if kept, known := port.events[given.Name]; known && given.Name != "" {
		return kept, nil
	}
	created := time.Now()
	if given.TS != nil {
		created = *given.TS
	}
	made, err := agentrun.NewEventAt(given.Kind, given.Payload, created)
	if err == nil && given.Name != "" {
		port.events[given.Name] = made
	}
	return made, err
}

func (subscriber *subscriber) nth(number int) (agentrun.Event, error) {
	subscriber.mutex.Lock()
	defer subscriber.mutex.Unlock()
	if number >= len(subscriber.handed) {
		return agentrun.Event{}, fault{"bad_request", fmt.Sprintf("the tap was not handed an event number %d", number)}
	}
	return subscriber.handed[number], nil
}
