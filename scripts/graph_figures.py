#!/usr/bin/env python3
"""Writes docs/graphs.md, how far graphs from shifts reach their figures, from results of `whence bench graphs`.

    graph_figures.py RESULTS... [--root ROOT]

Each RESULTS is a folder that `bench graphs [--only ROWS] -o RESULTS` or `bench real DIR... -o RESULTS` wrote; a
row of a later one takes the place of the same row of an earlier one. Only runs at full scale count. What is
claimed of all rows of the table "figures" together is counted again over the rows of all runs.
"""

import argparse
import json
import pathlib
import re
import sys

from what_holds import cell, settings_in_words

# Shown below the claims, in this order.
TABLES = ("figures", "real", "mistakes", "accuracy", "honesty", "calibration-edges", "calibration-changes", "seconds")


class Bench:
    """One run; looks like an experiment's to settings_in_words."""

    def __init__(self, path):
        self.result = json.loads(path.read_text(encoding="utf-8"))
        if self.result["scale"] != "full":
            sys.exit(f"graph_figures.py: {path} is of scale {self.result['scale']}, not full")


def read_benches(folders):
    """What is the same for any machine, and the times."""
    return ([Bench(folder / "result.json") for folder in folders],
            [Bench(folder / "speed" / "result.json") for folder in folders])


def row_of(claim):
    return claim["id"].split("/")[0]


def merged_claims(benches):
    """Claims in the order of their first run, each as its row's last run has it."""
    claims = {}
    for bench in benches:
        claims.update({claim["id"]: claim for claim in bench.result["claims"]})
    return list(claims.values())


def row_key(table, row):
    """What a row is about: its name, of recorded data also the subsample and the mistake."""
    return tuple(row[:4]) if table["id"] in ("real", "mistakes") or "subsample" in table["columns"] else row[0]


# "0.970 → 0.900 (200)": stated, observed, cases.
CALIBRATION_CELL = re.compile(r"([0-9.]+) → ([0-9.]+) \((\d+)\)")


def pooled_gap(benches, what, enough=200):
    """The largest distance of stated and observed over bins of all rows of the figures together."""
    figures, bins = merged_table(benches, "figures"), merged_table(benches, "calibration-" + what)
    names = {row[0] for row in figures["rows"]}
    worst = 0.0
    for column in range(1, len(bins["columns"])):
        cells = [CALIBRATION_CELL.match(row[column]) for row in bins["rows"] if row[0] in names]
        parts = [(float(c[1]), float(c[2]), int(c[3])) for c in cells if c]
        cases = sum(n for _, _, n in parts)
        if cases >= enough:
            worst = max(worst, abs(sum(n * (s - o) for s, o, n in parts)) / cases)
    return worst


def recounted(claims, benches, limit=0.05):
    """Claims about all figures, from the rows of all runs."""
    for claim in claims:
        if claim["id"].startswith("all-figures/calibration-"):
            gap = pooled_gap(benches, claim["id"].removeprefix("all-figures/calibration-"))
            claim.update(measured=f"at most {gap:.3f}", holds=gap <= limit)
    return claims


def merged_table(benches, name):
    """A table of all rows, or None."""
    tables = [table for bench in benches for table in bench.result["tables"] if table["id"] == name]
    rows = {}
    for table in tables:
        rows.update({row_key(table, row): row for row in table["rows"]})
    return tables and dict(tables[0], rows=list(rows.values()))


def claims_lines(claims):
    lines = ["| | row | figure | measured | remark |", "|---|---|---|---|---|"]
    for claim in claims:
        mark = "reached" if claim["holds"] else "**missed**"
        figure = claim["paper"].partition("): ")[2] or claim["paper"].partition(": ")[2] or claim["paper"]
        lines.append("| " + " | ".join([mark, f"`{row_of(claim)}`", cell(figure), cell(claim["measured"]),
                                        cell(claim["why"])]) + " |")
    return lines


def table_lines(table):
    lines = ["", f"## {table['title']}", "", "| " + " | ".join(map(cell, table["columns"])) + " |",
             "|---" * len(table["columns"]) + "|"]
    return lines + ["| " + " | ".join(map(cell, row)) + " |" for row in table["rows"]]


def page(benches, speeds):
    claims = recounted(merged_claims(benches + speeds), benches)
    held = sum(claim["holds"] for claim in claims)
    lines = [
        "# Graphs from shifts: figures",
        "",
        f"What `./whence bench graphs` and `bench real` are held against, and what they measured: {held} of {len(claims)} figures are "
        "reached. Rows of the",
        "tables are named as for `--only`; `bench/README.md` says what is run.",
        "",
        f"Written by `scripts/graph_figures.py` ({settings_in_words(benches)}), not by hand.",
        "",
    ]
    lines += claims_lines(claims)
    for name in TABLES:
        table = merged_table(speeds if name == "seconds" else benches, name)
        if table:
            lines += table_lines(table)
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("results", nargs="+", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path("."))
    options = parser.parse_args()
    benches, speeds = read_benches(options.results)
    (options.root / "docs" / "graphs.md").write_text(page(benches, speeds), encoding="utf-8")
    print("docs/graphs.md")


if __name__ == "__main__":
    main()
