#!/usr/bin/env python3
"""Writes docs/what_holds.md, the table of all claims, from the results of `whence reproduce all`,
and brings the figures of README.md and docs/ up to date with them.

    what_holds.py RESULTS [ROOT]     RESULTS is the folder that `reproduce all -o RESULTS` wrote

docs/figures/EXPERIMENT.svg is the experiment's first figure, or the one of FIGURES below; only runs at
full scale change it.
"""

import json
import pathlib
import re
import sys

# Where the figure that people should see is not the first.
FIGURES = {"belief-linear-gaussian": "wins"}


def cell(text):
    """Text for a cell of a Markdown table."""
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()


def claims_table(experiment):
    lines = ["| | the paper says | measured here | remark |", "|---|---|---|---|"]
    for claim in experiment["claims"]:
        mark = "holds" if claim["holds"] else "**does not hold**"
        lines.append("| " + " | ".join([mark, cell(claim["paper"]), cell(claim["measured"]),
                                        cell(claim["why"])]) + " |")
    return lines


def page(result):
    experiments = result["experiments"]
    claims = [claim for experiment in experiments for claim in experiment["claims"]]
    hold = sum(claim["holds"] for claim in claims)
    first = experiments[0]
    lines = [
        "# What holds",
        "",
        f"Every claim of the paper that Whence checks, with what it measured: {hold} of {len(claims)} hold. Written by",
        f"`scripts/refresh_docs.sh --scale {first['scale']}` (profile {first['profile']}, seed {first['seed']}), not by "
        "hand; `./whence reproduce NAME`",
        "shows the figures and settings behind each line.",
    ]
    for experiment in experiments:
        if not experiment["claims"]:
            continue
        lines += ["", f"## {experiment['experiment']}: {experiment['title']}", ""]
        if experiment["summary"]:
            lines += [cell(experiment["summary"]), ""]
        lines += claims_table(experiment)
    for failed in result["failed"]:
        lines += ["", f"`{failed['experiment']}` failed: {cell(failed['problem'])}."]
    return "\n".join(lines) + "\n"


def first_figure(folder, experiment):
    """run.json lists the files in the order of the report."""
    if experiment in FIGURES:
        return folder / experiment / "figures" / f"{FIGURES[experiment]}.svg"
    files = json.loads((folder / "run.json").read_text(encoding="utf-8"))["files"]
    figures = (f["name"] for f in files
               if f["name"].startswith(f"{experiment}/figures/") and f["name"].endswith(".svg"))
    name = next(figures, None)
    return name and folder / name


def refresh_figures(folder, root, experiments):
    pages = [root / "README.md", *(root / "docs").glob("*.md")]
    used = {name for p in pages for name in re.findall(r"figures/([\w-]+)\.svg\)", p.read_text("utf-8"))}
    for name in sorted(used & {e["experiment"] for e in experiments}):
        source = first_figure(folder, name)
        if source is None or not source.exists():
            sys.exit(f"what_holds.py: {name} has no figure for docs/figures/{name}.svg")
        (root / "docs" / "figures" / f"{name}.svg").write_bytes(source.read_bytes())
        print(f"docs/figures/{name}.svg <- {name}/figures/{source.name}")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    root = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else ".")
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    (root / "docs" / "what_holds.md").write_text(page(result), encoding="utf-8")
    print(f"docs/what_holds.md: {len(result['experiments'])} experiments")
    if all(experiment["scale"] == "full" for experiment in result["experiments"]):
        refresh_figures(folder, root, result["experiments"])
    else:
        print("figures are left alone: they show runs at full scale")


if __name__ == "__main__":
    main()
