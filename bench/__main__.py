"""Measure everything, print what was found, and write results.json, the tables, the chart and README's ratios."""

import json
import os
import platform
import sys

from bench import chart, idle, latency, report, scale, throughput, transcripts


def measured() -> report.Results:
    results: report.Results = {"python": platform.python_version(), "cores": os.cpu_count()}
    for group in (throughput, latency, idle, scale, transcripts):
        name = group.__name__.removeprefix("bench.")
        print(f"measuring: {name}", file=sys.stderr, flush=True)
        results[name] = group.measure()
    return results


def main() -> None:
    report.RESULTS.write_text(json.dumps(measured(), indent=1) + "\n", encoding="utf-8")
    results = report.load()
    chart.draw(results)
    for path, made in ((report.NOTES, report.notes(results)), (report.FRONT, report.quote(results))):
        path.write_text(report.between(path.read_text(encoding="utf-8"), made), encoding="utf-8")
    print(report.notes(results))


main()
