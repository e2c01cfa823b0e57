"""The port in Node in the hands of JavaScript, its table of kinds, and faults that are planted in it."""

import json
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.kit.suite_run import ROOT, run_suite

PORT = ROOT / "conformance" / "ports" / "node"
FAULTS = sorted((ROOT / "tests" / "broken" / "ports" / "node").glob("*.patch"))
SECONDS = 60

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed, so its port cannot run")


def evaluated(program: str) -> Any:
    """What a program in JavaScript, which may import from the port, prints as JSON."""
    imports = f"""
        import {{ KINDS, makeEvent }} from {json.dumps((PORT / "events.mjs").as_uri())};
        import {{ Run }} from {json.dumps((PORT / "run.mjs").as_uri())};
    """
    command = ["node", "--expose-gc", "--input-type=module", "--eval", imports + program]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_its_kinds_are_those_of_the_contract() -> None:
    kinds = evaluated("console.log(JSON.stringify(KINDS));")
    source = tomllib.loads((ROOT / "spec" / "events.toml").read_text(encoding="utf-8"))
    assert kinds == {
        event["kind"]: {field["name"]: expected(field) for field in event["fields"]} for event in source["event"]
    }


def expected(field: dict[str, Any]) -> dict[str, Any]:
    """What the port says of a field; of its values, where there are no others."""
    told = {key: field[key] for key in ("type", "presence", "default", "empty") if key in field}
    return {**told, "values": field["values"]} if field.get("closed") else told


def test_a_promise_is_awaited_and_a_wait_that_is_given_up_leaves_nothing_behind() -> None:
    seen = evaluated("""
        const run = new Run();
        const givenUp = await run.result.within(1).catch((error) => error.message);
        const raced = Promise.race([run.result, new Promise(() => {})]);
        run.finish(makeEvent("run-completed"), { final: "text" });
        const finals = [await run.result, await raced, await run.result.within(1)].map(({ final }) => final);
        console.log(JSON.stringify({ givenUp, finals }));
    """)
    assert seen["givenUp"] == "nothing after 1 ms; the promise is still planned"
    assert seen["finals"] == ["text"] * 3


def test_an_error_that_cannot_be_told_goes_no_further() -> None:
    seen = evaluated("""
        class Nosy extends Error { get message() { throw new Error("no text either"); } }
        process.removeAllListeners("warning").on("warning", () => {});
        const run = new Run({ onCancel: () => { throw new Nosy(); } });
        const done = new Promise((resolve) => run.tap(() => { throw new Nosy(); }, resolve));
        run.cancel();
        run.result.then(() => { throw new Nosy(); });
        run.finish(makeEvent("run-cancelled"));
        await done;
        console.log(JSON.stringify(await run.drained));
    """)
    assert seen is True


def test_what_is_over_or_given_up_is_freed() -> None:
    seen = evaluated("""
        const over = () => new Promise((resolve) => {
            const run = new Run();
            run.tap(() => {}, () => resolve(new WeakRef(run)));
            run.result.then(() => {});
            run.emit(makeEvent("token", { text: "text" }));
            run.finish(makeEvent("run-failed", { error: "nobody awaits it" }));
        });
        const open = new Run();
        const givenUp = async () => {
            const wait = open.result.within(1);
            await wait.catch(() => {});
            return new WeakRef(wait);
        };
        const alive = async (made) => {
            const those = await Promise.all(Array.from({ length: 100 }, made));
            await new Promise(setImmediate);
            gc();
            return those.filter((each) => each.deref()).length;
        };
        console.log(JSON.stringify([await alive(over), await alive(givenUp), open.result.status]));
    """)
    assert seen[0] <= 1, "finished runs stay, though nobody holds them"
    assert seen[1] <= 1, "a promise that stays planned keeps the waits that were given up"
    assert seen[2] == "planned"


def test_what_an_async_callback_throws_ends_nothing() -> None:
    seen = evaluated("""
        const heard = [];
        process.on("warning", ({ message }) => heard.push(message.split("\\n")[0]));
        const run = new Run({ onCancel: async () => { throw new Error("hook"); } });
        run.tap(async () => { throw new Error("subscriber"); }, () => setImmediate(report));
        run.result.then(async () => { throw new Error("continuation"); });
        run.cancel();
        run.finish(makeEvent("run-cancelled"));
        const report = () => console.log(JSON.stringify(heard.map((text) => text.split("Error: ")[1])));
    """)
    assert sorted(seen) == ["continuation", "hook", "subscriber"]


def test_nothing_of_what_it_hands_out_can_be_changed() -> None:
    seen = evaluated("""
        const data = { list: [1] };
        const event = makeEvent("log", { level: "info", data });
        const run = new Run();
        run.finish(makeEvent("run-completed"), { messages: [data] });
        const { messages } = await run.result;
        data.list.push(2);
        const attempts = [() => event.data.list.push(3), () => messages[0].list.push(4), () => (event.kind = "token")];
        const errors = attempts.map((attempt) => { try { attempt(); } catch (error) { return error.name; } });
        console.log(JSON.stringify([errors, event.data.list, messages[0].list]));
    """)
    assert seen == [["TypeError"] * 3, [1], [1]]


def test_a_getter_that_finishes_the_run_while_it_is_read_has_won() -> None:
    seen = evaluated("""
        const run = new Run();
        const error = { get text() { run.finish(makeEvent("run-failed", { error: "inner" })); return "outer"; } };
        const won = run.finish(makeEvent("run-completed"), { error });
        console.log(JSON.stringify([won, (await run.result).outcome]));
    """)
    assert seen == [False, "failed"]


def test_what_is_no_plain_data_is_refused_and_the_run_stays_open() -> None:
    seen = evaluated("""
        const loop = []; loop.push(loop);
        const values = [
            NaN, -Infinity, 10n, Symbol(), new Date(), new Map(), () => 1, [undefined], "\\ud800", { "\\ud800": 1 },
            loop, { [Symbol()]: 1 },
        ];
        const run = new Run();
        const refused = (attempt) => { try { attempt(); } catch (error) { return error.name; } };
        const made = values.map((value) => refused(() => makeEvent("log", { level: "info", data: { value } })));
        const ended = values.map((error) => refused(() => run.finish(makeEvent("run-completed"), { error })));
        console.log(JSON.stringify({ made, ended, open: run.emit(makeEvent("token", { text: "on" })) }));
    """)
    assert seen == {"made": ["TypeError"] * 12, "ended": ["TypeError"] * 12, "open": True}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda path: path.stem)
def test_a_fault_that_is_planted_in_it_is_caught(fault: Path, tmp_path: Path) -> None:
    breaks, says = told(fault)
    port = shutil.copytree(PORT, tmp_path / "port")
    subprocess.run(["git", "apply", str(fault)], cwd=port, timeout=SECONDS, check=True)
    families = " or ".join({f"test_{name.partition('-')[0].lower()}" for name in breaks})
    run = run_suite(f"exec:node {port / 'adapter.mjs'}", tmp_path, "-k", f"({families}) and not test_long_runs")
    assert set(run.failures) == set(breaks), run.output
    assert says in run.failures[breaks[-1]]


def told(fault: Path) -> tuple[list[str], str]:
    """Which requirements a patch breaks, and what the check of the last one says."""
    lines = dict(
        line.split(": ", 1) for line in fault.read_text().splitlines() if line.startswith(("BREAKS: ", "SAYS: "))
    )
    return lines["BREAKS"].split(), lines["SAYS"]
