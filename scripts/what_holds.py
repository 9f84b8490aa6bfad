#!/usr/bin/env python3
"""Writes docs/what_holds.md, the table of all claims, from results of `whence reproduce`, and brings the
figures of docs/ and the short table of README.md up to date with them.

    what_holds.py RESULTS... [--keep] [--root ROOT]

Each RESULTS is a folder that `reproduce all -o RESULTS` or `reproduce NAME -o RESULTS` wrote. They are shown
in the order given; a later run of the same experiment and profile takes the place of the earlier one.
docs/figures/EXPERIMENT.svg (EXPERIMENT-PROFILE.svg for profiles other than the paper's) is the experiment's
first figure, or the one of FIGURES below; only runs at full scale change and show it. With --keep, experiments
that are not among RESULTS stay as the page has them, with the revision that it names.
"""

import argparse
import json
import pathlib
import re
import sys

# Where the figure that people should see is not the first.
FIGURES = {"belief-linear-gaussian": "wins"}

# Whose statement a claim is, in the order shown: its kind in result.json, the head of its column, and how
# a count of them is called.
KINDS = {
    "paper": ("the paper says", "the paper's claims"),
    "released": ("as the released code does it", "released code"),
    "corrected": ("corrected", "corrected"),
    "control": ("control: no claim of the paper", "controls"),
}


def cell(text):
    """Text for a cell of a Markdown table."""
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()


def claims_tables(claims):
    """One table for each kind of claim."""
    lines = []
    for kind, (heading, _) in KINDS.items():
        chosen = [claim for claim in claims if claim["kind"] == kind]
        if chosen:
            lines += ["", f"| | {heading} | measured here | remark |", "|---|---|---|---|"]
        for claim in chosen:
            mark = "holds" if claim["holds"] else "**does not hold**"
            lines.append("| " + " | ".join([mark, cell(claim["paper"]), cell(claim["measured"]),
                                            cell(claim["why"])]) + " |")
    return lines


def share(claims, kind):
    """How many claims of a kind hold: "2 of 3", or "" where there are none."""
    chosen = [claim for claim in claims if claim["kind"] == kind]
    return f"{sum(claim['holds'] for claim in chosen)} of {len(chosen)}" if chosen else ""


class Run:
    """One experiment of one profile, and the folder with its figures."""

    def __init__(self, result, folder):
        self.result, self.folder = result, folder
        self.name, self.profile = result["experiment"], result["profile"]
        self.picture = self.name if self.profile == "paper" else f"{self.name}-{self.profile}"

    def figure(self):
        """The first of the report, or the chosen one; None where there is none to show."""
        if self.result["scale"] != "full":
            return None
        if self.name in FIGURES:
            return self.folder / "figures" / f"{FIGURES[self.name]}.svg"
        parts = [self.folder, self.folder.parent]  # run.json lies with the results as a whole
        listing = next(part for part in parts if (part / "run.json").exists())
        files = json.loads((listing / "run.json").read_text(encoding="utf-8"))["files"]
        prefix = "figures/" if listing == self.folder else f"{self.name}/figures/"
        names = (f["name"] for f in files
                 if f["name"].startswith(prefix) and f["name"].endswith(".svg"))
        name = next(names, None)
        return name and listing / name


def kept_claims(lines):
    """The claims of a section of the page, read back from its tables."""
    claims, kind = [], None
    for line in lines:
        cells = [part.strip().replace("\\|", "|") for part in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) != 4 or set(cells) == {"---"}:
            continue
        heads = [kind for kind, (heading, _) in KINDS.items() if cells[1] == heading]
        if heads and not cells[0]:
            kind = heads[0]
        else:
            claims.append({"kind": kind, "holds": cells[0] == "holds", "paper": cells[1],
                           "measured": cells[2], "why": cells[3]})
    return claims


class KeptRun:
    """An experiment as the page already shows it."""

    def __init__(self, section, settings):
        lines = section.splitlines()
        head = r"(\S+?)(?: \(profile (\S+)\))?: (.*?)(?: \(\S+ scale: fewer runs\))?$"
        name, profile, title = re.match(head, lines[0]).groups()
        self.name, self.profile = name, profile or "paper"
        self.picture = name if self.profile == "paper" else f"{name}-{profile}"
        self.shown = any(line.startswith("![") for line in lines)
        text = next((line for line in lines[1:] if line), "")
        self.result = {"title": title, "claims": kept_claims(lines), "scale": settings[0],
                       "summary": "" if text.startswith(("![", "|")) else text, "seed": settings[1],
                       "provenance": {"revision": settings[2]}}

    def figure(self):
        return self.shown


def read_page(path):
    text = path.read_text(encoding="utf-8")
    settings = re.search(r"\(scale (.*), seed (.*), revision (.*)\), not by hand", text).groups()
    return [KeptRun(section, settings) for section in text.split("\n## ")[1:]]


def read_results(folder):
    """The runs in a folder, and what failed there."""
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    if "experiments" not in result:
        return [Run(result, folder)], []
    runs = [Run(experiment, folder / experiment["experiment"]) for experiment in result["experiments"]]
    return runs, result["failed"]


def settings_in_words(runs):
    def all_of(values):
        return " and ".join(sorted({word for value in values for word in str(value).split(" and ")}))
    return (f"scale {all_of(run.result['scale'] for run in runs)}, "
            f"seed {all_of(run.result['seed'] for run in runs)}, "
            f"revision {all_of(run.result['provenance']['revision'] for run in runs)}")


def page(runs, failures):
    claims = [claim for run in runs for claim in run.result["claims"]]
    lines = [
        "# What holds",
        "",
        f"Every claim of the paper that Whence checks, with what it measured: {share(claims, 'paper')} hold, "
        "each done as the paper",
        f"says. The same done as the released code does it: {share(claims, 'released') or 'not run'}; with the "
        f"method corrected: {share(claims, 'corrected') or 'not run'}. Controls",
        "ask what the authors do not claim (other shifts than the cause's, or none) and would hold if the "
        "answer came from the",
        f"direction alone: {share(claims, 'control') or 'not run'}. Each table says in its head which of these "
        "it holds.",
        "",
        f"Written by `scripts/refresh_docs.sh` ({settings_in_words(runs)}), not by hand; "
        "`./whence reproduce NAME` shows the figures",
        "and settings behind each line. The profile is `paper` where none is named. Only the first column "
        "of numbers tests claims",
        "made by the authors; the controls are ours.",
        "",
        short_table(runs),
    ]
    for run in runs:
        experiment = run.result
        if not experiment["claims"]:
            continue
        profile = "" if run.profile == "paper" else f" (profile {run.profile})"
        quick = "" if experiment["scale"] == "full" else f" ({experiment['scale']} scale: fewer runs)"
        lines += ["", f"## {run.name}{profile}: {experiment['title']}{quick}", ""]
        if experiment["summary"]:
            lines += [cell(experiment["summary"])]
        if run.figure():
            lines += ["", f"![{experiment['title']}](figures/{run.picture}.svg)"]
        lines += claims_tables(experiment["claims"])
    for failed in failures:
        lines += ["", f"`{failed['experiment']}` failed: {cell(failed['problem'])}."]
    return "\n".join(lines) + "\n"


def short_table(runs):
    """How many claims hold, by experiment and by whose they are."""
    lines = ["| experiment | " + " | ".join(name for _, name in KINDS.values()) + " |",
             "|---" * (1 + len(KINDS)) + "|"]
    for run in runs:
        claims = run.result["claims"]
        if claims:
            profile = "" if run.profile == "paper" else f", {run.profile} profile"
            shares = [share(claims, kind) or "–" for kind in KINDS]
            lines.append(f"| `{run.name}`{profile} | " + " | ".join(shares) + " |")
    return "\n".join(lines)


def refresh_figures(runs, root):
    for run in runs:
        source = run.figure()
        if not isinstance(source, pathlib.Path):  # none, or one that is there already
            continue
        if not source.exists():
            sys.exit(f"what_holds.py: {run.name} has no figure {source.name}")
        (root / "docs" / "figures" / f"{run.picture}.svg").write_bytes(source.read_bytes())
        print(f"docs/figures/{run.picture}.svg <- {source.name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("results", nargs="+", type=pathlib.Path)
    parser.add_argument("--keep", action="store_true", help="what is not among RESULTS stays as it is")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path("."))
    options = parser.parse_args()
    page_file = options.root / "docs" / "what_holds.md"
    runs, failures = read_page(page_file) if options.keep else [], []
    for folder in options.results:
        more, failed = read_results(folder)
        failures += failed
        for run in more:
            place = next((i for i, old in enumerate(runs) if old.picture == run.picture), len(runs))
            runs[place:place + 1] = [run]
    page_file.write_text(page(runs, failures), encoding="utf-8")
    print(f"docs/what_holds.md: {len(runs)} experiments")
    refresh_figures(runs, options.root)


if __name__ == "__main__":
    main()
