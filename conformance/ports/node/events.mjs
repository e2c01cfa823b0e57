/**
 * The events of a run. An event is its own plain form: an object of plain data, frozen to the bottom.
 *
 *     const event = makeEvent("token", { text: "Hello", round: 1 });
 *     event.text;              // "Hello"
 *     JSON.stringify(event);   // {"kind":"token","ts":"2026-08-09T13:10:08.542000Z","text":"Hello","round":1}
 *
 * So there is nothing to convert, and nobody can change what somebody else reads. What makes it an event, and not just
 * an object that looks like one, is that this module made it.
 */

const DEEPEST = 100; // levels of nesting; also what a cycle comes to

// What a field holds. Types are those of JSON.

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value) => typeof value === "string";

const TYPES = {
  any: () => true,
  array: Array.isArray,
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  "message object": isObject,
  number: Number.isFinite,
  object: isObject,
  string: isText,
  "string or object": (value) => isText(value) || isObject(value),
};

const required = (type) => ({ type, presence: "required" });
const optional = (type) => ({ type, presence: "optional" });
const always = (type, value) => ({ type, presence: "always", default: Object.freeze(value) });
const unlessEmpty = (type) => ({ ...optional(type), empty: "omitted" });
const oneOf = (...values) => ({ ...required("string"), values });

const round = optional("integer");

/** All kinds, and the fields of each under their wire names. A value outside `values` is refused. */
export const KINDS = {
  "run-started": { "message-count": required("integer"), "context-digest": optional("string") },
  "round-started": { round: required("integer"), tokens: optional("integer") },

  "attempt-started": {
    round: required("integer"),
    attempt: required("integer"),
    "backend-index": required("integer"),
    model: required("string"),
  },
  token: { text: required("string"), round, attempt: optional("integer") },
  "attempt-failed": {
    round: required("integer"),
    attempt: required("integer"),
    "backend-index": required("integer"),
    model: optional("string"),
    error: required("string"),
    "error-class": optional("string"),
    "error-status": optional("integer"),
    disposition: oneOf("retry-same", "advance", "abort"),
    backoff: optional("number"),
    usage: unlessEmpty("object"),
  },
  "attempt-succeeded": {
    round: required("integer"),
    attempt: required("integer"),
    "backend-index": required("integer"),
    "model-used": optional("string"),
    "finish-reason": optional("string"),
    usage: always("object", {}),
    "latency-ms": optional("integer"),
  },
  "assistant-message": { message: required("message object"), reasoning: optional("string"), round },
  "turn-committed": { "message-id": optional("string"), round },
  "turn-discarded": { reason: oneOf("limit", "failed", "cancelled"), round },

  "tool-call": {
    id: required("string"),
    name: required("string"),
    arguments: optional("string or object"),
    round,
  },
  "tool-started": { id: required("string"), name: required("string"), round },
  "tool-progress": {
    id: required("string"),
    progress: required("number"),
    total: optional("number"),
    message: optional("string"),
    round,
  },
  "tool-result": {
    id: required("string"),
    name: optional("string"),
    content: required("string"),
    "is-error": always("boolean", false),
    artifact: unlessEmpty("object"),
    round,
  },
  "tool-abandoned": {
    id: required("string"),
    name: required("string"),
    reason: oneOf("cancelled", "deadline", "budget-exhausted"),
    dispatched: required("boolean"),
    round,
  },

  subagent: {
    "agent-id": required("string"),
    "agent-type": required("string"),
    label: optional("string"),
    "call-id": optional("string"),
    inner: required("object"),
  },
  "background-op-started": {
    "op-id": required("string"),
    "op-kind": required("string"),
    label: optional("string"),
    "call-id": optional("string"),
    round,
  },
  "background-op-settled": {
    "op-id": required("string"),
    "op-kind": required("string"),
    collected: always("boolean", false),
    round,
  },
  "background-op-delivered": {
    "op-kind": required("string"),
    "op-id": optional("string"),
    "message-id": optional("string"),
    round,
  },
  "run-parked": { outstanding: required("integer"), ops: always("array", []), round },
  "run-resumed": {
    reason: oneOf("completion", "steer", "cancelled", "idle"),
    "parked-seconds": optional("number"),
    round,
  },

  "ask-pending": { request: required("object"), tool: optional("string") },
  "ask-answered": { request: required("object"), answer: optional("any") },
  log: { level: required("string"), logger: optional("string"), data: required("string or object") },
  "limit-reached": { limit: required("string"), count: optional("integer"), max: optional("integer") },
  "compaction-started": {
    "tokens-before": optional("integer"),
    budget: optional("integer"),
    "message-count": optional("integer"),
    round,
  },
  "compaction-done": {
    "tokens-before": optional("integer"),
    "tokens-after": optional("integer"),
    dropped: optional("integer"),
    summary: optional("string"),
    fallback: always("boolean", false),
    round,
  },

  "run-completed": {
    final: always("string", ""),
    rounds: optional("integer"),
    "message-count": optional("integer"),
  },
  "run-failed": {
    error: required("string"),
    attempts: always("array", []),
    round,
    reason: optional("string"),
  },
  "run-cancelled": { stage: optional("string"), round },
};

const OUTCOMES = new Map([
  ["run-completed", "completed"],
  ["run-failed", "failed"],
  ["run-cancelled", "cancelled"],
]);

const made = new WeakSet();

/** An event of this moment. TypeError: no such kind or field, a field that is missing, or a value that will not do. */
export function makeEvent(kind, payload = {}) {
  if (!Object.hasOwn(KINDS, kind)) throw new TypeError(`there is no kind of event called ${kind}`);
  const given = frozenCopy(payload, kind);
  if (!isObject(given)) throw new TypeError(`${kind}: the payload is an object with the fields of the event`);
  return published({ kind, ts: timestamp(new Date()), ...fieldsOf(kind, given) });
}

/** The plain form of an event, which is the event itself. TypeError for what is no event. */
export function plainForm(event) {
  if (!made.has(event)) throw new TypeError("this is no event; make one with makeEvent(kind, payload)");
  return event;
}

/** A copy with the envelope of a run, in place of any that was there. TypeError for what is no event. */
export function stamped(event, runId, seq) {
  return published({ ...plainForm(event), "run-id": runId, seq });
}

/** What the outcome of a run is that ends with this event; undefined when the event ends no run. */
export function outcomeOf(event) {
  return OUTCOMES.get(plainForm(event).kind);
}

/**
 * A copy of plain data that nobody can change. TypeError for what JSON does not carry as it is.
 *
 * In an object, what is undefined was not given.
 */
export function frozenCopy(value, name = "value", depth = 0) {
  if (depth > DEEPEST) throw new TypeError(`${name} is nested in itself, or too deeply; flatten it`);
  if (isText(value)) return wellFormed(value, name);
  if (typeof value === "number") return finite(value, name);
  if (typeof value === "boolean" || value === null) return value;
  if (Array.isArray(value)) {
    return Object.freeze(Array.from(value, (item, nth) => frozenCopy(item, `${name}[${nth}]`, depth + 1)));
  }
  if (isPlainObject(value)) {
    const given = Object.entries(value).filter(([, item]) => item !== undefined);
    // Not by assignment: that would take a key called __proto__ for something else.
    return Object.freeze(
      Object.fromEntries(
        given.map(([key, item]) => [wellFormed(key, name), frozenCopy(item, `${name}.${key}`, depth + 1)]),
      ),
    );
  }
  throw new TypeError(`${name} is not plain data; use null, true, false, numbers, strings, arrays and plain objects`);
}

function fieldsOf(kind, given) {
  const fields = KINDS[kind];
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) throw new TypeError(`${kind} has no ${unknown}; it has ${Object.keys(fields).join(", ")}`);
  const present = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = fieldValue(`${kind}.${name}`, field, given[name] ?? field.default);
    if (value !== undefined) present[name] = value;
  }
  return present;
}

function fieldValue(name, field, value) {
  if (value === undefined) {
    if (field.presence === "required") throw new TypeError(`${name} is missing`);
    return undefined;
  }
  if (!TYPES[field.type](value)) throw new TypeError(`${name} is of the wrong type; give ${field.type}`);
  if (field.values && !field.values.includes(value)) {
    throw new TypeError(`${name} cannot be ${value}; it is one of ${field.values.join(", ")}`);
  }
  return field.empty === "omitted" && Object.keys(value).length === 0 ? undefined : value;
}

function published(event) {
  made.add(Object.freeze(event));
  return event;
}

/** ISO 8601 in UTC with six digits of fraction. The clock gives three. */
function timestamp(date) {
  return date.toISOString().replace("Z", "000Z");
}

function isPlainObject(value) {
  if (!isObject(value) || Object.getOwnPropertySymbols(value).length > 0) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function wellFormed(text, name) {
  if (!text.isWellFormed()) throw new TypeError(`${name} has half of a character, a lone surrogate; decode it`);
  return text;
}

function finite(number, name) {
  if (!Number.isFinite(number)) throw new TypeError(`${name} is ${number}, which JSON does not have; leave it out`);
  return number;
}
