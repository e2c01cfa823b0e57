"""A check of a transcript, against a loop that only decodes the same lines with the same library."""

import io
import json
from random import Random
from typing import Any

from agent_run_tck.lint.linter import Linter
from agent_run_tck.streams.generator import valid_stream

from bench.measure import faster, interleaved, middle

ROUNDS, RECORDS, LONGEST_RUN = 9, 20_000, 200


def transcript() -> tuple[bytes, int]:
    """Runs of all kinds of records, one after the other, and how many records they have."""
    records: list[dict[str, Any]] = []
    while len(records) < RECORDS:
        seed = len(records)
        stream = valid_stream(Random(seed), LONGEST_RUN)
        records += [{**record, "run-id": f"{record['run-id']}-{seed}"} for record in stream]
    return "".join(f"{json.dumps(record)}\n" for record in records).encode(), len(records)


def measure() -> dict[str, Any]:
    data, count = transcript()

    def decode(_: int) -> None:
        for line in io.BytesIO(data):
            json.loads(line)

    def check(_: int) -> None:
        if any(found.level == "error" for found in Linter("transcript").findings(io.BytesIO(data))):
            raise RuntimeError("the linter does not agree that the transcript is right")

    costs = interleaved({"decode": (decode, count), "check": (check, count)}, ROUNDS)
    return {
        "bytes": len(data) // count,
        "decode_ns": middle(costs["decode"]).cpu,
        "check_ns": middle(costs["check"]).cpu,
        "to_decode": faster(costs["check"], costs["decode"]),
    }
