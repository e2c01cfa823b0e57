/**
 * The port: the run of run.mjs behind the wire protocol of spec/protocol.md.
 *
 *     pytest conformance --impl="exec:node conformance/ports/node/adapter.mjs"
 *
 * Requests come in on stdin, one a line; each is performed as it is read, and answered. What the run calls is told in
 * notifications, in between. There is one thread, so nothing here ever waits for anything.
 */

import { makeEvent, outcomeOf, plainForm } from "./events.mjs";
import { Run } from "./run.mjs";

const THREAD = "main";
const PROMISES = ["result", "cancellation", "drained"];

const runs = new Map(); // from labels of the suite to what they stand for
const taps = new Map();
const events = new Map();

/** What is not the implementation's fault: the code is one of those in the protocol. */
class Fault extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** From an operation to what performs it: it is given the request, and returns what the reply has as `ok`. */
const operations = {
  hello: ({ contract }) => ({
    protocol: 1,
    contract,
    name: "node_run",
    version: "",
    language: "JavaScript",
    capabilities: { threads: false, buffers_gaps: false, events: true },
  }),

  create({ run, run_id, hook }) {
    runs.set(run, new Run({ id: run_id, onCancel: hook && callback(hook) }));
  },
  emit({ run, event, count = 1 }) {
    const [target, given] = [known(runs, run), eventOf(event)];
    let reply = true;
    for (let nth = 0; nth < count && reply === true; nth++) reply = target.emit(given);
    return reply;
  },
  finish: ({ run, event, outcome }) => known(runs, run).finish(eventOf(event), outcome),
  cancel: ({ run }) => known(runs, run).cancel(),
  work_begin: ({ run }) => known(runs, run).workBegin(),
  work_done: ({ run }) => known(runs, run).workDone(),

  tap({ run, tap, when }) {
    const handed = new Map(); // from its number to the event
    taps.set(tap, { run, handed, tap: known(runs, run).tap(...subscriber(tap, when, handed)) });
  },
  close_tap: ({ tap }) => known(taps, tap).tap.close(),
  then: ({ run, promise, script }) => known(runs, run)[promise].then(callback(script)),
  observe({ run }) {
    const it = known(runs, run);
    const promises = PROMISES.map((name) => [name, { status: it[name].status, value: it[name].value }]);
    return { id: it.id, is_done: it.isDone, is_cancelled: it.isCancelled, ...Object.fromEntries(promises) };
  },
  plain: ({ event }) => plainForm(eventOf(event)),

  open_gate() {}, // nobody ever stands at one
  forget(gone) {
    for (const run of gone.runs) runs.delete(run);
    for (const event of gone.events) events.delete(event);
    for (const [label, { run }] of taps) if (!runs.has(run)) taps.delete(label);
  },
  bye() {},
};

// --- what requests name ---------------------------------------------------------------------------------------------

function known(things, label) {
  const thing = things.get(label);
  if (thing === undefined) throw new Fault("bad_request", `nothing here is called ${label}`);
  return thing;
}

function eventOf({ kind, payload, name, tap, nth, value }) {
  if (tap !== undefined) return known(known(taps, tap).handed, nth);
  if (kind === undefined) return value;
  if (name === undefined) return makeEvent(kind, payload);
  if (!events.has(name)) events.set(name, makeEvent(kind, payload));
  return events.get(name);
}

// --- what the run calls ---------------------------------------------------------------------------------------------

/** What a hook, a continuation, or a subscriber at some moment does, as a script says it. */
function callback({ name, steps }) {
  return (...given) => {
    send({ note: "called", script: name, thread: THREAD, arguments: given });
    try {
      steps.forEach(follow);
    } finally {
      send({ note: "returned", script: name, thread: THREAD });
    }
  };
}

function follow(step) {
  if (step.op === "throw") throw new Error("on purpose");
  const { reply, error } = perform(step);
  send(reply);
  if (error) throw error;
}

/** The callbacks of a tap: they tell what came, then do what is to be done at this moment. */
function subscriber(tap, when, handed) {
  const scripts = new Map(when.map(({ at, script }) => [at, callback(script)]));
  const doAt = (moment) => scripts.get(moment)?.();
  const onEvent = (event) => {
    const nth = handed.size;
    handed.set(nth, event);
    send({ note: "handed", tap, thread: THREAD, events: [plainForm(event)] });
    for (const moment of [nth, event.kind, outcomeOf(event) && "terminal"]) doAt(moment);
  };
  const onDone = () => {
    send({ note: "done", tap, thread: THREAD });
    doAt("done");
  };
  return [onEvent, onDone];
}

// --- lines ----------------------------------------------------------------------------------------------------------

/** The reply to a request, and what was thrown: a callback that asked for it throws that on. */
function perform({ id, op, ...request }, rounded = false) {
  try {
    if (rounded) throw new RangeError("an integer beyond 2**53 is rounded here");
    if (!Object.hasOwn(operations, op)) throw new Fault("unsupported", `this port has no ${op}`);
    return { reply: { id, ok: operations[op](request) ?? null } };
  } catch (error) {
    const code = error instanceof Fault ? error.code : "raised";
    return { reply: { id, error: { code, message: String(error) } }, error };
  }
}

function send(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function answer(line) {
  const request = JSON.parse(line);
  send(perform(request, losesDigits(line)).reply);
  if (request.op === "bye") process.exit(0);
}

/** Whether JSON.parse changes an integer of this line, which then could not come out as it went in. */
function losesDigits(line) {
  if (!/\d{16}/.test(line)) return false;
  const integers = line.replaceAll(/"(\\.|[^"\\])*"/g, "").match(/(?<![\d.])\d{16,}(?![\d.eE])/g) ?? [];
  return integers.some((digits) => String(Number(digits)) !== digits);
}

let rest = "";
// Not with node:readline, which takes U+2028 for the end of a line as well.
for await (const text of process.stdin.setEncoding("utf8")) {
  const lines = (rest + text).split("\n");
  rest = lines.pop();
  lines.forEach(answer);
}
