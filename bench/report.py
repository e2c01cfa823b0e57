"""What the results say: the goals, the tables of bench/README.md and the ratios that README.md quotes."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
RESULTS, NOTES, CHART, FRONT = (
    HERE / "results.json",
    HERE / "README.md",
    HERE / "results.svg",
    HERE.parent / "README.md",
)
BEGIN, END = "<!-- made by `make bench` -->", "<!-- end of what `make bench` made -->"
SCALED = {"delivered at once": "live_ns", "accepted with no tap": "accept_ns", "handed to a late tap": "backlog_ns"}
Results = dict[str, Any]


class Goal(NamedTuple):
    """A ratio, or a number, that the reference is held to."""

    what: str
    asked: str
    found: str
    met: bool


def load() -> Results:
    """The results that were written last."""
    results: Results = json.loads(RESULTS.read_text(encoding="utf-8"))
    return results


def throughput(results: Results, name: str) -> Results:
    """The row of a contender."""
    return next(row for row in results["throughput"] if row["name"] == name)


def goals(results: Results) -> list[Goal]:
    """Each goal with what was found."""
    of_limit = 1 / throughput(results, "stamping alone")["to_one"]
    four = throughput(results, "run, four emitters")["to_one"]
    of_replay = 1 / throughput(results, "reactivex ReplaySubject")["to_one"]
    idle, growth = results["idle"], growths(results)
    return [
        at_least("one emitter, of the stamping loop", 0.4, of_limit),
        at_least("four emitters together, of one", 0.7, four),
        at_least("one emitter, of the ReplaySubject", 10, of_replay),
        Goal("threads of an idle run", "0", f"{idle['threads']:.0f}", idle["threads"] == 0),
        Goal("bytes of an idle run", "at most 4096", f"{idle['bytes']:.0f}", idle["bytes"] <= 4096),
        *(
            Goal(f"{what}: an event of a million, of one of ten thousand", "at most 2", f"{ratio:.2f}", ratio <= 2)
            for what, ratio in growth.items()
        ),
        at_least("a check of a transcript, of decoding it", 0.3, results["transcripts"]["to_decode"]),
    ]


def at_least(what: str, asked: float, found: float) -> Goal:
    return Goal(what, f"at least {asked:g}", f"{found:.2f}", found >= asked)


def growths(results: Results) -> dict[str, float]:
    """How the cost of an event grows from the smallest size to the largest."""
    small, *_, large = results["scale"]
    return {what: large[key] / small[key] for what, key in SCALED.items()}


def notes(results: Results) -> str:
    """The generated part of bench/README.md."""
    machine = f"Python {results['python']}, {results['cores']} cores."
    met = {True: "met", False: "**not met**"}
    held_to = table(("goal", "asked", "found", ""), [(*goal[:3], met[goal.met]) for goal in goals(results)])
    tables = (of_throughput, of_latency, of_scale, of_runs, of_transcripts)
    parts = (machine, held_to, *(of_group(results) for of_group in tables))
    return "\n\n".join(parts)


def of_throughput(results: Results) -> str:
    head = (
        "from emit to delivery",
        "ns of processor time per event",
        "ns by the clock",
        "throughput, of one emitter's",
    )
    rows = results["throughput"]
    return table(
        head, [(row["name"], f"{row['cpu_ns']:.0f}", f"{row['wall_ns']:.0f}", f"{row['to_one']:.2f}") for row in rows]
    )


def of_latency(results: Results) -> str:
    head = ("one event at rest", "median, µs", "95 of 100 within, µs")
    rows = results["latency"]
    return table(head, [(row["name"], f"{row['median_us']:.0f}", f"{row['p95_us']:.0f}") for row in rows])


def of_scale(results: Results) -> str:
    head = ("ns of processor time per event", *(f"{what}" for what in SCALED))
    rows = results["scale"]
    return table(head, [(f"{row['events']:,}", *(f"{row[key]:.0f}" for key in SCALED.values())) for row in rows])


def of_runs(results: Results) -> str:
    idle = results["idle"]
    many = f"{idle['live_runs']:,} live ones, emitted to in turn"
    rows = [
        ("making one, µs", f"{idle['creation_us']:.1f}"),
        ("an idle one, bytes", f"{idle['bytes']:.0f}"),
        (f"{many}: throughput, of a single one's", f"{idle['live_to_one']:.3f}"),
        (f"{many}: threads at most", f"{idle['live_threads']:.0f}"),
    ]
    return table(("runs", "found"), rows)


def of_transcripts(results: Results) -> str:
    found = results["transcripts"]
    rows = [(what, f"{found[key]:.0f}") for what, key in (("decode", "decode_ns"), ("decode and check", "check_ns"))]
    return table((f"a record of {found['bytes']} bytes", "ns of processor time"), rows)


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, ("---",) * len(head), *rows))


def quote(results: Results) -> str:
    """The generated sentence of README.md: ratios only."""
    limit, four, replay, *_ = (goal.found for goal in goals(results))
    janus = f"{1 / throughput(results, 'janus')['to_one']:.2f}"
    queue = f"{1 / throughput(results, 'queue.SimpleQueue')['to_one']:.2f}"
    return (
        f"From emit to delivery a run has {limit} of the throughput of a loop that does nothing but stamp,\n"
        f"{replay} times that of `reactivex`'s ReplaySubject, {janus} of janus and {queue} of a bare `SimpleQueue`;\n"
        f"four emitters together have {four} of one."
    )


def between(text: str, made: str) -> str:
    """The text with what stands between the markers replaced."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{made}\n{END}{after}"
