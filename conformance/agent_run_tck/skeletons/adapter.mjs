/**
 * A port: your run behind the wire protocol of the agent run contract, in which the suite asks for things.
 *
 *     pytest --pyargs agent_run_tck --impl="exec:node adapter.mjs"
 *
 * spec/protocol.md of the contract says what each request and notification means, spec/ports.md in which order to
 * write what is still to do. Standard output is for the suite alone; console.error goes where you see it.
 */

/** What there is still to do. An operation that you add to `operations` is asked from then on, and this is not. */
const TO_DO = {
  @TO_DO@
};

/** From what the suite calls things to the things. */
const runs = new Map();
const taps = new Map(); // { run, handed, tap }: the label of its run, what it was handed, and the tap itself
const events = new Map();

/** From an operation to what performs it: it is given the request, and returns what the reply has as `ok`. */
const operations = {
  hello: ({ contract }) => ({
    protocol: 1,
    contract,
    name: "my run", // what the report calls it
    version: "",
    language: "JavaScript",
    capabilities: { threads: false },
  }),

  forget({ runs: gone, events: unwanted }) {
    for (const label of gone) runs.delete(label);
    for (const name of unwanted) events.delete(name);
    for (const [label, { run }] of taps) if (!runs.has(run)) taps.delete(label);
  },

  bye() {},

  // Your operations go here.
};

/** What is not your run's fault. The suite tells `unsupported` and `bad_request` from what your run throws. */
class Fault extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

function known(things, label) {
  if (!things.has(label)) throw new Fault("bad_request", `nothing here is called ${label}`);
  return things.get(label);
}

/** The reply to a request, and what was thrown: a callback that asked for it throws that on. */
function perform(request, rounded = false) {
  const { id, op } = request;
  try {
    if (rounded) throw new RangeError("an integer beyond 2**53 is rounded here");
    if (!Object.hasOwn(operations, op)) throw new Fault("unsupported", `write ${op}: ${TO_DO[op]}`);
    return { reply: { id, ok: operations[op](request) ?? null } };
  } catch (error) {
    const code = error instanceof Fault ? error.code : "raised";
    return { reply: { id, error: { code, message: error instanceof Fault ? error.message : String(error) } }, error };
  }
}

/** Whether JSON.parse changes an integer of this line, which then could not come out as it went in. */
function losesDigits(line) {
  if (!/\d{16}/.test(line)) return false;
  const integers = line.replaceAll(/"(\\.|[^"\\])*"/g, "").match(/(?<![\d.])\d{16,}(?![\d.eE])/g) ?? [];
  return integers.some((digits) => String(Number(digits)) !== digits);
}

function send(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

let rest = "";
// Not with node:readline, which takes U+2028 for the end of a line as well.
for await (const text of process.stdin.setEncoding("utf8")) {
  const lines = (rest + text).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const request = JSON.parse(line);
    send(perform(request, losesDigits(line)).reply);
    if (request.op === "bye") process.exit(0);
  }
}
