package main

import (
	"bytes"
	"encoding/json"
	"runtime"
	"sync"

	"agentrun/agentrun"
)

// follow is what the hook, a continuation or a subscriber at a moment does.
func (port *port) follow(script script, arguments ...any) {
	if arguments == nil {
		arguments = []any{}
	}
	thread := goroutine()
	port.send(message{"note": "called", "script": script.Name, "thread": thread, "arguments": arguments})
	defer port.send(message{"note": "returned", "script": script.Name, "thread": thread})
	port.steps(script.Steps)
}

func (port *port) steps(steps []request) {
	for _, step := range steps {
		switch step.Op {
		case "throw":
			panic("on purpose")
		case "wait":
			port.send(message{"note": "waiting", "gate": step.Gate, "thread": goroutine()})
			<-port.gate(step.Gate).opened
		case "in_thread":
			port.inGoroutine(step.Steps)
		default:
			if err := port.answer(step); err != nil {
				panic(err)
			}
		}
	}
}

// inGoroutine follows the steps on another goroutine and waits for it; what they throw ends them and nothing else.
func (port *port) inGoroutine(steps []request) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() { _ = recover() }()
		port.steps(steps)
	}()
	<-ended
}

// subscriber is what a tap calls: it notifies, and follows the scripts of the moment.
type subscriber struct {
	port    *port
	run     string
	label   string
	scripts map[string]script
	mutex   sync.Mutex
	handed  []agentrun.Event
	tap     *agentrun.Tap
	tapped  chan struct{} // closed once tap is there, for a callback may ask for it before
}

func (port *port) tap(run *agentrun.Run, asked request) {
	made := &subscriber{
		port: port, run: asked.Run, label: asked.Tap, scripts: map[string]script{}, tapped: make(chan struct{}),
	}
	for _, moment := range asked.When {
		made.scripts[key(moment.At)] = moment.Script
	}
	port.mutex.Lock()
	port.taps[asked.Tap] = made
	port.mutex.Unlock()
	made.tap = run.Tap(made.onEvent, made.onDone)
	close(made.tapped)
}

func (port *port) closeTap(label string) error {
	port.mutex.Lock()
	subscriber, known := port.taps[label]
	port.mutex.Unlock()
	if !known {
		return unknown(label)
	}
	<-subscriber.tapped
	subscriber.tap.Close()
	return nil
}

func (subscriber *subscriber) onEvent(event agentrun.Event) {
	subscriber.mutex.Lock()
	nth := len(subscriber.handed)
	subscriber.handed = append(subscriber.handed, event)
	subscriber.mutex.Unlock()
	subscriber.note(message{"note": "handed", "events": []any{event.Plain()}})
	subscriber.at(nth)
	subscriber.at(event.Kind())
	if event.Terminal() {
		subscriber.at("terminal")
	}
}

func (subscriber *subscriber) onDone() {
	subscriber.note(message{"note": "done"})
	subscriber.at("done")
}

func (subscriber *subscriber) note(what message) {
	what["tap"], what["thread"] = subscriber.label, goroutine()
	subscriber.port.send(what)
}

func (subscriber *subscriber) at(moment any) {
	if script, some := subscriber.scripts[key(moment)]; some {
		subscriber.port.follow(script)
	}
}

// key is a moment as a key: its JSON, in which the number 1 and the text "1" differ.
func key(moment any) string {
	text, _ := json.Marshal(moment)
	return string(text)
}

// gate holds up who waits at it until it is opened; then it stays open.
type gate struct {
	opened chan struct{}
	once   sync.Once
}

func (port *port) gate(label string) *gate {
	port.mutex.Lock()
	defer port.mutex.Unlock()
	if port.gates[label] == nil {
		port.gates[label] = &gate{opened: make(chan struct{})}
	}
	return port.gates[label]
}

func (gate *gate) open() { gate.once.Do(func() { close(gate.opened) }) }

// goroutine names the one that it is called on: Go has no other way to tell them apart.
func goroutine() string {
	var trace [64]byte
	words := bytes.Fields(trace[:runtime.Stack(trace[:], false)])
	return string(words[1])
}
