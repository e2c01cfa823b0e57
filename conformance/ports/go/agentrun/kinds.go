package agentrun

import (
	"encoding/json"
	"fmt"
	"strings"
)

// kind is one of the kinds of events, with the fields that its payload may have.
type kind struct {
	name   string
	fields map[string]field
}

// field is a field of a payload. At most one of required, fallback and emptyIsAbsent is set.
type field struct {
	is            isA
	required      bool
	fallback      any // what is reported when nothing was given
	emptyIsAbsent bool
	values        []string // the closed set
}

// isA tells whether a value is of a type.
type isA func(any) bool

func text(value any) bool    { _, is := value.(string); return is }
func boolean(value any) bool { _, is := value.(bool); return is }
func object(value any) bool  { _, is := value.(map[string]any); return is }
func array(value any) bool   { _, is := value.([]any); return is }
func anything(any) bool      { return true }
func textOrObject(value any) bool {
	return text(value) || object(value)
}
func number(value any) bool {
	switch value.(type) {
	case json.Number, int, float64:
		return true
	}
	return false
}
func integer(value any) bool {
	if written, is := value.(json.Number); is {
		return !strings.ContainsAny(written.String(), ".eE")
	}
	_, is := value.(int)
	return is
}

type fields map[string]field

func required(is isA) field             { return field{is: is, required: true} }
func optional(is isA) field             { return field{is: is} }
func oneOf(values ...string) field      { return field{is: text, required: true, values: values} }
func always(is isA, fallback any) field { return field{is: is, fallback: fallback} }
func unlessEmpty(is isA) field          { return field{is: is, emptyIsAbsent: true} }

var kinds = index(
	kind{"run-started", fields{"message-count": required(integer), "context-digest": optional(text)}},
	kind{"round-started", fields{"round": required(integer), "tokens": optional(integer)}},
	kind{"attempt-started", fields{
		"round": required(integer), "attempt": required(integer), "backend-index": required(integer),
		"model": required(text)}},
	kind{"token", fields{"text": required(text), "round": optional(integer), "attempt": optional(integer)}},
	kind{"attempt-failed", fields{
		"round": required(integer), "attempt": required(integer), "backend-index": required(integer),
		"model": optional(text), "error": required(text), "error-class": optional(text), "error-status": optional(integer),
		"disposition": oneOf("retry-same", "advance", "abort"), "backoff": optional(number), "usage": unlessEmpty(object)}},
	kind{"attempt-succeeded", fields{
		"round": required(integer), "attempt": required(integer), "backend-index": required(integer),
		"model-used": optional(text), "finish-reason": optional(text), "usage": always(object, map[string]any{}),
		"latency-ms": optional(integer)}},
	kind{"assistant-message", fields{
		"message": required(object), "reasoning": optional(text), "round": optional(integer)}},
	kind{"turn-committed", fields{"message-id": optional(text), "round": optional(integer)}},
	kind{"tool-call", fields{
		"id": required(text), "name": required(text), "arguments": optional(textOrObject), "round": optional(integer)}},
	kind{"tool-started", fields{"id": required(text), "name": required(text), "round": optional(integer)}},
	kind{"tool-progress", fields{
		"id": required(text), "progress": required(number), "total": optional(number), "message": optional(text),
		"round": optional(integer)}},
	kind{"tool-result", fields{
		"id": required(text), "name": optional(text), "content": required(text), "is-error": always(boolean, false),
		"artifact": unlessEmpty(object), "round": optional(integer)}},
	kind{"tool-abandoned", fields{
		"id": required(text), "name": required(text), "reason": oneOf("cancelled", "deadline", "budget-exhausted"),
		"dispatched": required(boolean), "round": optional(integer)}},
	kind{"subagent", fields{
		"agent-id": required(text), "agent-type": required(text), "label": optional(text), "call-id": optional(text),
		"inner": required(object)}},
	kind{"background-op-started", fields{
		"op-id": required(text), "op-kind": required(text), "label": optional(text), "call-id": optional(text),
		"round": optional(integer)}},
	kind{"background-op-settled", fields{
		"op-id": required(text), "op-kind": required(text), "collected": always(boolean, false),
		"round": optional(integer)}},
	kind{"background-op-delivered", fields{
		"op-kind": required(text), "op-id": optional(text), "message-id": optional(text), "round": optional(integer)}},
	kind{"run-parked", fields{
		"outstanding": required(integer), "ops": always(array, []any{}), "round": optional(integer)}},
	kind{"run-resumed", fields{
		"reason": oneOf("completion", "steer", "cancelled", "idle"), "parked-seconds": optional(number),
		"round": optional(integer)}},
	kind{"ask-pending", fields{"request": required(object), "tool": optional(text)}},
	kind{"ask-answered", fields{"request": required(object), "answer": optional(anything)}},
	kind{"log", fields{"level": required(text), "logger": optional(text), "data": required(textOrObject)}},
	kind{"limit-reached", fields{"limit": required(text), "count": optional(integer), "max": optional(integer)}},
	kind{"turn-discarded", fields{"reason": oneOf("limit", "failed", "cancelled"), "round": optional(integer)}},
	kind{"compaction-started", fields{
		"tokens-before": optional(integer), "budget": optional(integer), "message-count": optional(integer),
		"round": optional(integer)}},
	kind{"compaction-done", fields{
		"tokens-before": optional(integer), "tokens-after": optional(integer), "dropped": optional(integer),
		"summary": optional(text), "fallback": always(boolean, false), "round": optional(integer)}},
	kind{"run-completed", fields{
		"final": always(text, ""), "rounds": optional(integer), "message-count": optional(integer)}},
	kind{"run-failed", fields{
		"error": required(text), "attempts": always(array, []any{}), "round": optional(integer), "reason": optional(text)}},
	kind{"run-cancelled", fields{"stage": optional(text), "round": optional(integer)}},
)

func index(all ...kind) map[string]*kind {
	byName := make(map[string]*kind, len(all))
	for number := range all {
		byName[all[number].name] = &all[number]
	}
	return byName
}

// checked returns a copy of the payload with what is always reported, or tells what is wrong with it.
func (kind *kind) checked(payload map[string]any) (map[string]any, error) {
	checked := map[string]any{}
	for key, value := range payload {
		field, known := kind.fields[key]
		if !known {
			return nil, fmt.Errorf("there is no field %q", key)
		}
		if value == nil || field.emptyIsAbsent && isEmpty(value) {
			continue // as if it had not been given
		}
		copied, err := field.copied(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		checked[key] = copied
	}
	return checked, kind.complete(checked)
}

func (field field) copied(value any) (any, error) {
	if !field.is(value) {
		return nil, fmt.Errorf("a %T is of the wrong type", value)
	}
	if field.values != nil && !contains(field.values, value) {
		return nil, fmt.Errorf("%q is none of %s", value, strings.Join(field.values, ", "))
	}
	return copied(value)
}

// complete adds what is always reported, and misses what is required.
func (kind *kind) complete(payload map[string]any) error {
	for name, field := range kind.fields {
		if _, given := payload[name]; given {
			continue
		}
		if field.required {
			return fmt.Errorf("%s is missing", name)
		}
		if field.fallback != nil {
			payload[name] = cloned(field.fallback)
		}
	}
	return nil
}

func isEmpty(value any) bool {
	table, is := value.(map[string]any)
	return is && len(table) == 0
}

func contains(values []string, value any) bool {
	for _, one := range values {
		if one == value {
			return true
		}
	}
	return false
}
