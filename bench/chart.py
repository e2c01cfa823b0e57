"""The throughput of all contenders as a chart."""

from xml.etree import ElementTree

import pygal
from pygal.style import CleanStyle

from bench.report import CHART, Results


def draw(results: Results) -> None:
    """Write results.svg: no scripts, no links, the same file for the same results."""
    chart = pygal.HorizontalBar(
        style=CleanStyle,
        js=[],
        height=360,
        width=900,
        show_legend=False,
        logarithmic=True,
        print_values=True,
        zero=0.1,
        range=(0.1, 100),
        y_labels=[0.1, 1, 10, 100],
        value_formatter=lambda value: f"{value:.2f}",
        title="Throughput from emit to delivery; 1 is a run with one emitter",
    )
    chart.uuid = "throughput"  # pygal draws one at random
    rows = sorted(results["throughput"], key=lambda row: row["to_one"])
    chart.x_labels = [row["name"] for row in rows]
    colour = {True: "#1f77b4", False: "#b0b0b0"}
    chart.add("", [{"value": row["to_one"], "color": colour[row["name"].startswith("run")]} for row in rows])
    picture = chart.render_tree()
    for parent in list(picture.iter()):
        for child in [each for each in parent if each.tag == "script" or each.tag is ElementTree.Comment]:
            parent.remove(child)
    CHART.write_text(ElementTree.tostring(picture, encoding="unicode") + "\n", encoding="utf-8")
