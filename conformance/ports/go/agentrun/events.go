package agentrun

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"
	"unicode/utf8"
)

// Event is something that happened in a run. It is made by NewEvent, never changes, and is passed by value; what a run
// publishes is a copy with the run's id and a seq.
type Event struct {
	kind      *kind
	payload   map[string]any // a copy of what was given; nobody changes it
	created   time.Time
	runID     string
	seq       int
	published bool
}

// NewEvent makes an event of a kind, now. The keys of the payload are wire names, its values plain data, which is copied.
// It is an error when the kind is not known, a field is missing, not known or of the wrong type, or a value is not plain
// data or not one of a closed set. A nil counts as not given.
func NewEvent(name string, payload map[string]any) (Event, error) {
	return NewEventAt(name, payload, time.Now())
}

// NewEventAt makes an event that was created at a given moment, of the years 1 to 9999 in UTC.
func NewEventAt(name string, payload map[string]any, created time.Time) (Event, error) {
	if year := created.UTC().Year(); year < 1 || year > 9999 {
		return Event{}, fmt.Errorf("%v lies outside the years 1 to 9999", created)
	}
	kind, known := kinds[name]
	if !known {
		return Event{}, fmt.Errorf("there is no kind %q", name)
	}
	checked, err := kind.checked(payload)
	if err != nil {
		return Event{}, fmt.Errorf("%s: %w", name, err)
	}
	return Event{kind: kind, payload: checked, created: created}, nil
}

// Kind is the kind of the event, under its wire name.
func (event Event) Kind() string { return event.kind.name }

// Terminal tells whether the event ends a run.
func (event Event) Terminal() bool { return event.outcome() != "" }

// Plain is the plain form: kind, ts, the payload, and run-id and seq once the event is published. Each caller gets a map
// of its own.
func (event Event) Plain() map[string]any {
	plain := cloned(event.payload).(map[string]any)
	plain["kind"] = event.kind.name
	plain["ts"] = event.created.UTC().Format("2006-01-02T15:04:05.000000Z")
	if event.published {
		plain["run-id"], plain["seq"] = event.runID, event.seq
	}
	return plain
}

// outcome is that of the run which the event ends, or empty if it ends none.
func (event Event) outcome() string { return outcomes[event.kind.name] }

var outcomes = map[string]string{"run-completed": "completed", "run-failed": "failed", "run-cancelled": "cancelled"}

// check tells why the event cannot be emitted, or finished with.
func (event Event) check(terminal bool) error {
	if event.kind == nil {
		return errors.New("this is no event; NewEvent makes one")
	}
	if event.Terminal() && !terminal {
		return fmt.Errorf("%s is terminal: it ends a run, with Finish", event.kind.name)
	}
	if !event.Terminal() && terminal {
		return fmt.Errorf("%s is not terminal: it does not end a run", event.kind.name)
	}
	return nil
}

func (event Event) stamped(runID string, seq int) Event {
	event.runID, event.seq, event.published = runID, seq, true
	return event
}

const deepest = 100 // levels of nesting, so that what contains itself is refused

// copied returns a deep copy of plain data, or tells why it is none.
func copied(value any) (any, error) { return copiedTo(value, deepest) }

func copiedTo(value any, levels int) (any, error) {
	if levels == 0 {
		return nil, fmt.Errorf("nested deeper than %d levels", deepest)
	}
	switch value := value.(type) {
	case nil, bool, int:
		return value, nil
	case json.Number:
		if _, err := value.Float64(); err != nil || !json.Valid([]byte(value)) {
			return nil, fmt.Errorf("%q is no number of JSON", string(value))
		}
		return value, nil
	case float64:
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return nil, errors.New("JSON has no such number")
		}
		return value, nil
	case string:
		if !utf8.ValidString(value) {
			return nil, errors.New("a string that is not UTF-8")
		}
		return value, nil
	case []any:
		return copiedList(value, levels)
	case map[string]any:
		return copiedMap(value, levels)
	}
	return nil, fmt.Errorf("a %T is not plain data", value)
}

func copiedList(list []any, levels int) (any, error) {
	copy := make([]any, len(list))
	for index, item := range list {
		var err error
		if copy[index], err = copiedTo(item, levels-1); err != nil {
			return nil, err
		}
	}
	return copy, nil
}

func copiedMap(table map[string]any, levels int) (any, error) {
	copy := make(map[string]any, len(table))
	for key, item := range table {
		if !utf8.ValidString(key) {
			return nil, errors.New("a key that is not UTF-8")
		}
		var err error
		if copy[key], err = copiedTo(item, levels-1); err != nil {
			return nil, err
		}
	}
	return copy, nil
}

// cloned returns a deep copy of what is known to be plain data.
func cloned(value any) any {
	copy, err := copied(value)
	if err != nil {
		panic(err) // it was checked when it came in
	}
	return copy
}
