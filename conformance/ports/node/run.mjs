/**
 * An agent run for programs that live on one event loop. Copy it and make it yours.
 *
 *     const run = new Run();
 *     run.tap((event) => console.log(event));
 *     drive(run);                        // emits, and at last: run.finish(makeEvent("run-completed"), { final: text })
 *     console.log(await run.result);
 *
 * Nothing here needs a lock: an operation runs to its end before anything else does. And no operation calls a
 * subscriber or a continuation; they are called in later turns of the loop. Only the hook `onCancel` is called within
 * an operation, the first `cancel` of the open run.
 *
 * The stream is a linked list. The run holds its end, each tap holds the place that it has come to, and the first tap
 * is handed the beginning. What no tap still has before it is no longer reachable, and so it needs no clearing away.
 */

import { randomUUID } from "node:crypto";
import { inspect } from "node:util";

import { frozenCopy, outcomeOf, stamped } from "./events.mjs";

const EVENTS_PER_TURN = 64;

const DEFAULTS = frozenCopy({ final: "", messages: [], error: null, attempts: [], reason: null });

/** One of the three promises of a run: planned, and perhaps kept one day; never broken. `await` works on it. */
export class RunPromise {
  #continuations = new Set(); // undefined once the promise is kept
  #value;

  /** Like a native promise: `executor` is given the function that keeps it. The value must be frozen. */
  constructor(executor) {
    executor((value) => this.#keep(value));
  }

  get status() {
    return this.#continuations ? "planned" : "kept";
  }

  /** The value, which nobody can change; undefined as long as the promise is planned. */
  get value() {
    return this.#value;
  }

  /** Have `continuation(value)` called once, in a later turn, as soon as there is a value. */
  then(continuation) {
    this.#register(() => shielded(continuation, this.#value));
  }

  /** The value, if there is one within so many milliseconds; else it rejects, and leaves nothing behind here. */
  within(milliseconds) {
    return new Promise((resolve, reject) => {
      const kept = this.#register(() => {
        clearTimeout(timer);
        resolve(this.#value);
      });
      const timer = setTimeout(() => {
        this.#continuations?.delete(kept);
        reject(new Error(`nothing after ${milliseconds} ms; the promise is still planned`));
      }, milliseconds);
    });
  }

  #register(whenKept) {
    if (this.#continuations) this.#continuations.add(whenKept);
    else queueMicrotask(whenKept);
    return whenKept;
  }

  #keep(value) {
    const continuations = this.#continuations;
    this.#value = value;
    this.#continuations = undefined;
    for (const whenKept of continuations) queueMicrotask(whenKept);
  }
}

/** One subscription: a place in the stream, which moves on in turns of the loop. Made by `run.tap`. */
class Tap {
  #place; // the last link that was handed over; undefined once there is nothing more to come
  #onEvent;
  #onDone;
  #audience;
  #scheduled = false;

  constructor(place, onEvent, onDone, audience) {
    this.#place = place;
    this.#onEvent = onEvent;
    this.#onDone = onDone;
    this.#audience = audience;
    this.wake();
  }

  /** Be handed nothing more, not even done. May be called from within a callback, and again. */
  close() {
    this.#place = undefined;
    this.#audience.delete(this);
  }

  /** The run says that the stream has grown. */
  wake() {
    if (this.#scheduled || !this.#place?.next) return;
    this.#scheduled = true;
    setImmediate(() => this.#deliver());
  }

  #deliver() {
    this.#scheduled = false;
    for (let count = 0; count < EVENTS_PER_TURN && this.#place?.next; count++) {
      this.#place = this.#place.next;
      this.#hand(this.#place.event);
    }
    this.wake();
  }

  #hand(event) {
    shielded(this.#onEvent, event);
    if (outcomeOf(event) && this.#place) {
      this.close();
      shielded(this.#onDone);
    }
  }
}

/** One agent run. Callers tap it, await its result and cancel it; a driver emits and finishes. */
export class Run {
  #id;
  #onCancel;
  #keepResult;
  #keepCancellation;
  #keepDrained;
  #hookIsRunning = false;
  #sections = 0;
  #accepted = 0;
  #last = {}; // the end of the stream: { event, next }, the first link without an event
  #beginning = this.#last; // until the first tap has it
  #audience = new Set();

  /** Kept by the `finish` that wins, also when the run failed: a failure is data. */
  result = new RunPromise((keep) => (this.#keepResult = keep));
  /** Kept by the first `cancel` of the open run. */
  cancellation = new RunPromise((keep) => (this.#keepCancellation = keep));
  /** Kept once the run is finished, no section is open and the hook is not running. */
  drained = new RunPromise((keep) => (this.#keepDrained = keep));

  /** `id` is any string, a fresh UUID where none is given; `onCancel` is a function. */
  constructor({ id = randomUUID(), onCancel } = {}) {
    if (typeof id !== "string") throw new TypeError("the id of a run is a string");
    this.#id = id;
    this.#onCancel = onCancel;
  }

  get id() {
    return this.#id;
  }

  get isDone() {
    return this.result.status === "kept";
  }

  get isCancelled() {
    return this.cancellation.status === "kept";
  }

  /**
   * Have `onEvent(event)` called for each event, and `onDone()` after the terminal; returns what can be closed.
   *
   * The first tap gets the run from its beginning, even when it is over. Another gets what is accepted from then on;
   * what is accepted while every tap is closed is dropped.
   */
  tap(onEvent, onDone = () => {}) {
    const place = this.#beginning ?? this.#last;
    this.#beginning = undefined;
    const tap = new Tap(place, onEvent, onDone, this.#audience);
    if (!this.isDone) this.#audience.add(tap);
    return tap;
  }

  /**
   * Accept an event, and publish it in a later turn. False: the run is finished, and nothing happened.
   *
   * TypeError for a terminal event and for what is no event; the run is then as it was.
   */
  emit(event) {
    if (outcomeOf(event)) throw new TypeError(`${event.kind} is a terminal event; end the run with finish()`);
    if (this.isDone) return false;
    this.#accept(event);
    return true;
  }

  /**
   * End the run: keep the result, publish the terminal. False: it was finished before, and nothing happened.
   *
   * `given` may have final, messages, error, attempts, reason and spent, all plain data. TypeError for anything else,
   * and for an event that is not terminal; the run is then as it was.
   */
  finish(terminal, given = {}) {
    const outcome = outcomeOf(terminal);
    if (!outcome) throw new TypeError(`${terminal.kind} is not a terminal event; emit() is for it`);
    const result = resultOf(outcome, given); // may run code of the driver: a getter, which may finish this very run
    if (this.isDone) return false;
    this.#keepResult(result);
    this.#accept(terminal);
    this.#audience.clear();
    this.#onCancel = undefined;
    this.#keepDrainedIfDue();
    return true;
  }

  /**
   * Ask the driver to stop: keep `cancellation`, then call the hook. To stop is up to the driver.
   *
   * Never throws. A second call does nothing, and neither does any call once the run is finished.
   */
  cancel() {
    if (this.isDone || this.isCancelled) return;
    const hook = this.#onCancel;
    this.#onCancel = undefined;
    this.#keepCancellation(true);
    if (hook) {
      this.#hookIsRunning = true;
      shielded(hook);
      this.#hookIsRunning = false;
      this.#keepDrainedIfDue();
    }
  }

  /** Open a work section: `drained` waits for its `workDone`. False: the run is finished, and nothing was opened. */
  workBegin() {
    if (this.isDone) return false;
    this.#sections += 1;
    return true;
  }

  /** Close a work section. Never throws. */
  workDone() {
    this.#sections = Math.max(0, this.#sections - 1);
    this.#keepDrainedIfDue();
  }

  #accept(event) {
    this.#last = this.#last.next = { event: stamped(event, this.#id, this.#accepted) };
    this.#accepted += 1;
    for (const tap of this.#audience) tap.wake();
  }

  #keepDrainedIfDue() {
    const due = this.isDone && this.#sections === 0 && !this.#hookIsRunning;
    if (due && this.drained.status === "planned") this.#keepDrained(true);
  }
}

function resultOf(outcome, given) {
  const { spent, ...fields } = frozenCopy(given, "finish");
  const unknown = Object.keys(fields).find((name) => !Object.hasOwn(DEFAULTS, name));
  if (unknown !== undefined) throw new TypeError(`finish() takes no ${unknown}, but ${Object.keys(DEFAULTS)},spent`);
  const counted = spent === undefined || spent === null ? {} : { spent };
  return Object.freeze({ outcome, ...DEFAULTS, ...fields, ...counted });
}

/** The error as text; making that calls foreign code too, which may throw as well. */
function told(error) {
  try {
    return inspect(error);
  } catch {
    return "something that cannot be told";
  }
}

/** Call what a user handed in. What it throws, now or as an async function later, is a warning and no more. */
async function shielded(foreign, ...given) {
  try {
    await foreign(...given);
  } catch (error) {
    process.emitWarning(`a callback threw, and the run goes on without it: ${told(error)}`);
  }
}
