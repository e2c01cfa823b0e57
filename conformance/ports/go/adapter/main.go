// The adapter of the Go port: it puts agentrun behind the wire protocol of the conformance kit (spec/protocol.md).
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"sync"
	"time"

	"agentrun/agentrun"
)

// message is a reply, a notification, or a part of one.
type message map[string]any

// request is any request, or a step of a script; which fields are there depends on op.
type request struct {
	ID      int64          `json:"id"`
	Op      string         `json:"op"`
	Run     string         `json:"run"`
	RunID   *string        `json:"run_id"`
	Hook    *script        `json:"hook"`
	Event   event          `json:"event"`
	Count   *int           `json:"count"`
	Outcome map[string]any `json:"outcome"`
	Tap     string         `json:"tap"`
	When    []moment       `json:"when"`
	Promise string         `json:"promise"`
	Script  script         `json:"script"`
	Gate    string         `json:"gate"`
	Scripts [][]request    `json:"scripts"`
	Runs    []string       `json:"runs"`
	Events  []string       `json:"events"`
	Gates   []string       `json:"gates"`
	Steps   []request      `json:"steps"`
	lossy   bool           // what was asked has no form in Go
}

// event is one that an operation is given: made, made and kept under a name, or handed to a tap before.
type event struct {
	Kind    string         `json:"kind"`
	Payload map[string]any `json:"payload"`
	TS      *time.Time     `json:"ts"`
	Name    string         `json:"name"`
	Tap     string         `json:"tap"`
	Nth     int            `json:"nth"`
}

type script struct {
	Name  string    `json:"name"`
	Steps []request `json:"steps"`
}

// moment is when a subscriber follows a script: a number, a kind, "terminal" or "done".
type moment struct {
	At     any    `json:"at"`
	Script script `json:"script"`
}

// port has all that requests name by a label. Its mutex is never held while anything is called.
type port struct {
	mutex  sync.Mutex
	runs   map[string]*agentrun.Run
	taps   map[string]*subscriber
	events map[string]agentrun.Event
	gates  map[string]*gate

	writing sync.Mutex
}

func main() {
	port := &port{
		runs: map[string]*agentrun.Run{}, taps: map[string]*subscriber{},
		events: map[string]agentrun.Event{}, gates: map[string]*gate{},
	}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return // whoever asked is gone
		}
		asked := request{lossy: hasLoneSurrogate(line)}
		if err := decode(line, &asked); err != nil {
			fmt.Fprintf(os.Stderr, "this is no request: %v\n", err)
			os.Exit(1)
		}
		if asked.Op == "bye" {
			port.send(message{"id": asked.ID, "ok": nil})
			return
		}
		go port.answer(asked) // on a goroutine of its own, for it may block
	}
}

// decode keeps numbers as they are written, for 1 and 1.0 are different plain data.
func decode(line []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	return decoder.Decode(into)
}

var (
	escapedBackslash = regexp.MustCompile(`\\\\`)
	surrogatePair    = regexp.MustCompile(`(?i)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)
	surrogate        = regexp.MustCompile(`(?i)\\ud[89a-f][0-9a-f]{2}`)
)

// hasLoneSurrogate tells whether a text in the line is no text in Go; encoding/json would put another in its place.
func hasLoneSurrogate(line []byte) bool {
	if !surrogate.Match(line) {
		return false
	}
	rest := surrogatePair.ReplaceAll(escapedBackslash.ReplaceAll(line, nil), nil)
	return surrogate.Match(rest)
}

// send writes a message as one line.
func (port *port) send(what message) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(what); err != nil {
		fmt.Fprintf(os.Stderr, "cannot send %v: %v\n", what, err)
		os.Exit(1)
	}
	port.writing.Lock()
	defer port.writing.Unlock()
	os.Stdout.Write(line.Bytes())
}

// answer performs a request, or an operation of a script, and sends its reply; it returns the error.
func (port *port) answer(asked request) error {
	reply, err := port.perform(asked)
	port.send(reply)
	return err
}

func (port *port) perform(asked request) (reply message, err error) {
	var ok any
	if err = errors.New("a text with half a surrogate pair has no form in Go"); !asked.lossy {
		ok, err = port.operate(asked)
	}
	if err == nil {
		return message{"id": asked.ID, "ok": ok}, nil
	}
	code := "raised"
	if fault, is := err.(fault); is {
		code = fault.code
	}
	return message{"id": asked.ID, "error": message{"code": code, "message": err.Error()}}, err
}

// fault is an error that is not the implementation's.
type fault struct{ code, text string }

func (fault fault) Error() string { return fault.text }

func unknown(label string) error { return fault{"bad_request", "nothing here is called " + label} }
