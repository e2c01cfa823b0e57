// A port: your run behind the wire protocol of the agent run contract, in which the suite asks for things.
//
//	go build -o port adapter.go
//	pytest --pyargs agent_run_tck --impl="exec:./port"
//
// spec/protocol.md of the contract says what each request and notification means, spec/ports.md in which order to
// write what is still to do. Standard output is for the suite alone; standard error goes where you see it.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
)

type message = map[string]any

// toDo is what there is still to do. An operation that you add to the switch in perform is asked from then on.
var toDo = map[string]string{
	@TO_DO@
}

// request has the fields of all requests; add those that you need, such as Event and Script.
type request struct {
	ID       int     `json:"id"`
	Op       string  `json:"op"`
	Contract string  `json:"contract"`
	Run      string  `json:"run"`
	RunID    *string `json:"run_id"`
}

// fault is what is not your run's fault; its code is one of those in the protocol.
type fault struct{ code, text string }

func (it fault) Error() string { return it.text }

// perform does what is asked, and returns what the reply has as ok. What your run returns as an error goes on as one.
func perform(asked request) (any, error) {
	switch asked.Op {
	case "hello":
		return message{
			"protocol": 1,
			"contract": asked.Contract,
			"name":     "my run", // what the report calls it
			"version":  "",
			"language": "Go",
			// A declared capability binds: with threads, an operation that blocks must not hold up any other.
			"capabilities": message{"threads": true},
		}, nil
	case "forget": // let go of the runs, events and gates that it names, as soon as you keep any
		return nil, nil
	case "bye":
		return nil, nil
		// Your operations go here.
	}
	return nil, fault{"unsupported", fmt.Sprintf("write %s: %s", asked.Op, toDo[asked.Op])}
}

// answer performs a request and sends the reply. A step of a script is answered in the same way.
func answer(asked request) error {
	value, err := perform(asked)
	if err == nil {
		send(message{"id": asked.ID, "ok": value})
		return nil
	}
	code := "raised"
	if known, ok := err.(fault); ok {
		code = known.code
	}
	send(message{"id": asked.ID, "error": message{"code": code, "message": err.Error()}})
	return err
}

var writing sync.Mutex

// send writes a message whole, from whichever goroutine.
func send(what message) {
	line, err := json.Marshal(what)
	if err != nil {
		fmt.Fprintln(os.Stderr, "this cannot be sent:", err)
		os.Exit(1)
	}
	writing.Lock()
	defer writing.Unlock()
	_, _ = os.Stdout.Write(append(line, '\n'))
}

func main() {
	requests := json.NewDecoder(os.Stdin)
	requests.UseNumber() // so that no integer is rounded on its way through an any
	for {
		var asked request
		if err := requests.Decode(&asked); err == io.EOF {
			os.Exit(0)
		} else if err != nil {
			fmt.Fprintln(os.Stderr, "this is no request:", err)
			os.Exit(1)
		}
		if asked.Op == "bye" {
			_ = answer(asked)
			os.Exit(0)
		}
		go func() { _ = answer(asked) }() // any operation may block
	}
}
