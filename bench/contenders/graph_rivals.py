"""Published methods for graphs from several environments, on the same files in the same run as Whence.

    python3 bench/contenders/graph_rivals.py --venv DIR           # makes DIR with the packages, once
    python3 bench/contenders/graph_rivals.py --venv DIR --graph er:20:40 --sets 5
    python3 bench/contenders/graph_rivals.py --venv DIR --suite --sets 10   # 100 variables, and PS-MIP's law
    python3 bench/contenders/graph_rivals.py --venv DIR --suite --sets 10 --keep answers.jsonl   # may be killed, and goes on
    python3 bench/contenders/graph_rivals.py --venv DIR --sachs   # flow cytometry instead of simulations
    python3 bench/contenders/graph_rivals.py --venv DIR --real FOLDER --sets 5 --rows 500 --baseline-rows 2000

Every data set is written by `whence simulate graph`, or drawn at random (--rows, --baseline-rows: at most
so many of each environment) from a folder as of `whence bench real` with one file per environment; all answers are judged by `whence evaluate`. The
empty graph stands beside them. Rivals that are not installed are left out, and the output says so.

--sachs: 7466 cells of Sachs et al. (2005) as the package cdt has them, in logarithms. The package does not
say which rows belong together: they are cut by the published sizes of the nine experiments, in their order.
The truth is the network of that paper with the 17 edges that bnlearn gives it, which is itself an estimate.

--suite: one table of several laws, the rivals being ut-igsp and gies. `er:100:175` is written by `whence simulate graph`
with 20 environments of 200 rows, three data sets at most. `ps-mip:P:E` is the law by which PS-MIP was published, as far as its description goes:
P variables, E expected parents, 1000 rows and five environments of 200; in each of these a fifth of the variables, drawn
anew, hear their parents no more and get another variance, mean 0. Weights are +-U(.5, 1), variances U(.5, 1) and of
targets U(1.5, 3); the paper's may differ. Beside the distance from the true graph stands that of the two Markov classes
("class"), which the paper gives; ut-igsp's and ours are classes of single graphs, gies' is its best member's.

What each is told:
    whence     which file is the baseline
    whence-linear   the same, and that mechanisms are lines, which ut-igsp and gies take for granted
    cd-nod     causal-learn, Fisher z, alpha .05: the number of the environment of each row
    ut-igsp    causaldag, partial correlations and Gaussian invariance, alpha .001: the baseline
    gies       gies, Gaussian BIC: the baseline and THE TARGETS, which it cannot do without
    gnies      gnies, Gaussian noise interventions, targets by rank: the environments

A method that uses more of the processor than --time-limit for one answer is not asked again of that law.

An edge that a rival leaves undirected is not held against it: it gets the direction of the true edge,
or else that of the true causal order. So the distances of cd-nod and gies are the best of their class.
"""

import argparse
import csv
import functools
import json
import math
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PACKAGES = ["causal-learn==0.1.4.8", "gies==0.0.3", "causaldag==0.1a163", "gnies==0.3.2"]
DATA_PACKAGE = "cdt==0.6.0"  # for its files alone
ROOT = Path(__file__).resolve().parents[2]

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"


# ---- data ----------------------------------------------------------------------------------------


def write_table(path, names, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows([repr(float(x)) for x in row] for row in rows)


def write_ps_mip(folder, law, seed):
    """Hard shifts of the variance alone, a fifth of the variables at a time."""
    import numpy

    variables, parents = (int(x) for x in law.split(":")[1:])
    draw = numpy.random.default_rng([seed, variables, parents])
    order = draw.permutation(variables)
    chance = min(1.0, 2 * parents / (variables - 1))  # so that `parents` is the expected number
    weights = numpy.zeros((variables, variables))
    for a in range(variables):
        for b in range(a + 1, variables):
            if draw.random() < chance:
                weights[order[a], order[b]] = draw.choice([-1, 1]) * draw.uniform(0.5, 1)
    variances = draw.uniform(0.5, 1, variables)
    names = [f"X{v}" for v in range(variables)]
    environments = []
    for e in range(6):
        targets = [] if e == 0 else sorted(int(t) for t in draw.choice(variables, -(-variables // 5), replace=False))
        rows = 1000 if e == 0 else 200
        own = numpy.where(numpy.isin(numpy.arange(variables), targets), draw.uniform(1.5, 3, variables), variances)
        x = draw.normal(size=(rows, variables)) * numpy.sqrt(own)
        for v in order:
            if v not in targets:
                x[:, v] += x @ weights[:, v]
        stem = "baseline" if e == 0 else f"shifted_{e:02}"
        write_table(folder / f"{stem}.csv", names, x)
        environments.append({"name": stem, "changed": {n: v in targets for v, n in enumerate(names)}})
    edges = [{"from": names[a], "to": names[b]} for a, b in zip(*weights.nonzero())]
    truth = {"variables": names, "edges": edges, "environments": environments}
    (folder / "truth.json").write_text(json.dumps(truth))


def environment_files(folder):
    return [folder / "baseline.csv", *sorted(folder.glob("shifted_*.csv"))]


def read_environments(folder):
    """The names of the columns, and one matrix per environment, the baseline first."""
    import numpy

    names, matrices = None, []
    for path in environment_files(folder):
        with open(path, newline="") as file:
            rows = list(csv.reader(file))
        names = rows[0]
        matrices.append(numpy.array(rows[1:], dtype=float))
    return names, matrices


def true_targets(folder, names):
    truth = json.loads((folder / "truth.json").read_text())
    return [[names.index(v) for v, changed in e["changed"].items() if changed] for e in truth["environments"]]


# ---- rivals: each returns directed and undirected edges as pairs of column numbers ---------------


def from_matrix(matrix):
    """matrix[i][j]: i -> j; both ways: undirected."""
    m = len(matrix)
    pairs = [(i, j) for i in range(m) for j in range(m) if i != j and matrix[i][j]]
    directed = [(i, j) for i, j in pairs if not matrix[j][i]]
    return directed, [(i, j) for i, j in pairs if matrix[j][i] and i < j]


def cd_nod():
    import numpy
    from causallearn.search.ConstraintBased.CDNOD import cdnod

    def run(folder):
        _, matrices = read_environments(folder)
        number = numpy.concatenate([numpy.full(len(x), float(e)) for e, x in enumerate(matrices)])
        graph = cdnod(numpy.vstack(matrices), number[:, None], 0.05, "fisherz", show_progress=False).G.graph
        m = matrices[0].shape[1]
        # -1 is a tail and 1 an arrow head, [i][j] being the mark at i; two heads tell no direction.
        tail = [[graph[i][j] == -1 or (graph[i][j] == 1 and graph[j][i] == 1) for j in range(m)] for i in range(m)]
        return from_matrix(tail)

    return run


def ut_igsp():
    import numpy
    from causaldag import unknown_target_igsp
    from conditional_independence import (
        MemoizedCI_Tester,
        MemoizedInvarianceTester,
        gauss_invariance_suffstat,
        gauss_invariance_test,
        partial_correlation_suffstat,
        partial_correlation_test,
    )

    def run(folder):
        _, matrices = read_environments(folder)
        random.seed(0)  # it draws from both
        numpy.random.seed(0)
        independence = MemoizedCI_Tester(
            partial_correlation_test, partial_correlation_suffstat(matrices[0]), alpha=1e-3
        )
        invariance = MemoizedInvarianceTester(
            gauss_invariance_test, gauss_invariance_suffstat(matrices[0], matrices[1:]), alpha=1e-3
        )
        settings = [{"known_interventions": []} for _ in matrices[1:]]
        dag, _ = unknown_target_igsp(settings, set(range(matrices[0].shape[1])), independence, invariance)
        return sorted(dag.arcs), []

    return run


def known_target_gies():
    import gies

    def run(folder):
        names, matrices = read_environments(folder)
        matrix, _ = gies.fit_bic(matrices, true_targets(folder, names))
        return from_matrix(matrix)

    return run


def gnies_rank():
    import gnies

    def run(folder):
        _, matrices = read_environments(folder)
        _, matrix, _ = gnies.fit(matrices, approach="rank")
        return from_matrix(matrix)

    return run


RIVALS = {"cd-nod": cd_nod, "ut-igsp": ut_igsp, "gies": known_target_gies, "gnies": gnies_rank}


def run_rival(name, folder):
    """In a process of its own: one line of JSON with the edges and the time, imports not counted."""
    try:
        run = RIVALS[name]()
    except ImportError as error:
        sys.exit(f"not installed: {error.name}")
    start = time.process_time()
    directed, undirected = run(folder)
    seconds = time.process_time() - start
    plain = [[[int(i), int(j)] for i, j in edges] for edges in (directed, undirected)]
    print(json.dumps({"directed": plain[0], "undirected": plain[1], "seconds": seconds}))


# ---- judging -------------------------------------------------------------------------------------


def causal_order(names, edges):
    """Causes first; edges are pairs of names."""
    parents = {name: {a for a, b in edges if b == name} for name in names}
    order = []
    while len(order) < len(names):
        order.append(next(n for n in names if n not in order and parents[n] <= set(order)))
    return order


def best_directions(answer, names, truth):
    """Directed edges, undirected ones with the direction that the truth would give them."""
    true_edges = [(e["from"], e["to"]) for e in truth["edges"]]
    order = causal_order(names, true_edges)
    edges = [(names[i], names[j]) for i, j in answer["directed"]]
    for i, j in answer["undirected"]:
        edges.append(tuple(sorted((names[i], names[j]), key=order.index)))
    return edges


def class_of(edges):
    """The Markov class: its directed edges and its undirected ones, by Meek's first three rules."""
    parents, adjacent = {}, {}
    for a, b in edges:
        parents.setdefault(b, set()).add(a)
        adjacent.setdefault(a, set()).add(b)
        adjacent.setdefault(b, set()).add(a)
    directed = {(a, c) for c, all_of in parents.items() for a in all_of if any(b not in adjacent[a] for b in all_of - {a})}
    open_edges = {frozenset(e) for e in edges} - {frozenset(e) for e in directed}

    def compelled(a, b):
        into_a = {x for x, y in directed if y == a}
        first = any(x not in adjacent[b] for x in into_a)
        second = any((x, b) in directed for y, x in directed if y == a)
        sides = [x for x in adjacent[a] if frozenset((a, x)) in open_edges and (x, b) in directed]
        third = any(y not in adjacent[x] for x in sides for y in sides if x != y)
        return first or second or third

    changed = True
    while changed:
        changed = False
        for edge in list(open_edges):
            for a, b in (tuple(edge), tuple(edge)[::-1]):
                if edge in open_edges and compelled(a, b):
                    directed.add((a, b))
                    open_edges.remove(edge)
                    changed = True
    return directed, open_edges


def class_distance(edges, true_edges):
    """Pairs of variables that two Markov classes join differently."""
    marks = []
    for one in (edges, true_edges):
        directed, open_edges = class_of(one)
        marks.append({frozenset(e): e for e in directed} | {e: "open" for e in open_edges})
    return sum(marks[0].get(pair) != marks[1].get(pair) for pair in marks[0].keys() | marks[1].keys())


def evaluate(whence, result, truth):
    output = subprocess.run([whence, "evaluate", result, truth, "--json"], check=True, capture_output=True)
    return json.loads(output.stdout)


def write_graph(path, names, edges):
    document = {"variables": names, "edges": [{"from": a, "to": b} for a, b in edges], "graph": edges}
    path.write_text(json.dumps(document))
    return path


class DataSet:
    def __init__(self, options, number, folder):
        self.whence, self.folder, self.limit = options.whence, folder, options.time_limit
        if options.graph and options.graph.startswith("ps-mip:"):
            write_ps_mip(folder, options.graph, options.seed + number)
        elif options.real:
            write_recorded(Path(options.real), folder, options, number)
        elif options.sachs:
            write_cytometry(folder)
        else:
            self.simulate(options, number)
        self.truth_file = folder / "truth.json"
        self.truth = json.loads(self.truth_file.read_text())
        self.names = self.truth["variables"]

    def simulate(self, options, number):
        simulate = [self.whence, "simulate", "graph", "-q", "--seed", str(options.seed + number)]
        simulate += ["-o", self.folder]
        for key in ("graph", "shift", "noise", "weights", "environments", "rows", "baseline_rows"):
            if getattr(options, key) is not None:
                simulate += ["--" + key.replace("_", "-"), getattr(options, key)]
        subprocess.run(simulate, check=True)

    def judged(self, edges):
        judged = evaluate(self.whence, write_graph(self.folder / "found.json", self.names, edges), self.truth_file)
        judged["class"] = class_distance(edges, [(e["from"], e["to"]) for e in self.truth["edges"]])
        return judged

    def limited(self, command):
        """What it prints, and its processor seconds; it is ended when it has used its share of them."""
        limit = math.ceil(self.limit)
        set_limit = functools.partial(resource.setrlimit, resource.RLIMIT_CPU, (limit, limit + 5))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, preexec_fn=set_limit)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if done.returncode != 0 and seconds >= limit:
            raise subprocess.TimeoutExpired(command, limit)
        done.check_returncode()
        return done.stdout, seconds

    def ask_whence(self, model):
        files = environment_files(self.folder)
        command = [self.whence, "discover", "-q", "--model", model, "--baseline", files[0]]
        for path in files[1:]:
            command += ["--shifted", path]
        seconds = self.limited([*command, "-o", self.folder / "whence"])[1]
        result = self.folder / "whence" / "result.json"
        judged = evaluate(self.whence, result, self.truth_file)
        found = json.loads(result.read_text())["graph"]
        judged["class"] = class_distance([tuple(e) for e in found], [(e["from"], e["to"]) for e in self.truth["edges"]])
        return judged, seconds

    def ask_rival(self, name):
        command = [sys.executable, __file__, "--one", name, str(self.folder)]
        answer = json.loads(self.limited(command)[0].splitlines()[-1])
        return self.judged(best_directions(answer, self.names, self.truth)), answer["seconds"]

    def ask(self, name):
        if name == "empty":
            return self.judged([]), 0.0
        if name.startswith("whence"):
            return self.ask_whence("linear" if name == "whence-linear" else "auto")
        return self.ask_rival(name)


# ---- flow cytometry ------------------------------------------------------------------------------

# The experiments, in the order of the rows: cells, and what the reagent is known to act on.
EXPERIMENTS = {
    "cd3cd28": (853, []),
    "icam2": (902, []),
    "akt_inhibitor": (911, ["pakts473"]),
    "g0076": (723, ["PKC"]),
    "psitectorigenin": (810, ["PIP2"]),
    "u0126": (799, ["pmek"]),
    "ly294002": (848, ["pakts473"]),
    "pma": (913, ["PKC"]),
    "b2camp": (707, ["PKA"]),
}
CYTOMETRY_EDGES = {
    "PKC": ["PKA", "praf", "pmek", "pjnk", "P38"],
    "PKA": ["praf", "pmek", "p44/42", "pakts473", "pjnk", "P38"],
    "praf": ["pmek"],
    "pmek": ["p44/42"],
    "p44/42": ["pakts473"],
    "plcg": ["PIP2", "PIP3"],
    "PIP3": ["PIP2"],
}


def write_cytometry(folder):
    """The nine experiments as files, and the truth beside them."""
    found = list(Path(sys.prefix).glob("lib/python*/site-packages/cdt/data/resources/cyto_full_data.csv"))
    if not found:
        sys.exit(f"--sachs needs the files of {DATA_PACKAGE}: name a new folder with --venv")
    with open(found[0], newline="") as file:
        header, *cells = list(csv.reader(file))
    assert len(cells) == sum(size for size, _ in EXPERIMENTS.values())
    environments, start = [], 0
    for number, (name, (size, targets)) in enumerate(EXPERIMENTS.items()):
        stem = "baseline" if number == 0 else f"shifted_{number:02}_{name}"
        with open(folder / f"{stem}.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(header)
            for cell in cells[start : start + size]:
                writer.writerow([repr(math.log(float(x))) for x in cell])
        start += size
        environments.append({"name": stem, "changed": {v: v in targets for v in header}})
    edges = [{"from": a, "to": b} for a, effects in CYTOMETRY_EDGES.items() for b in effects]
    truth = {"variables": header, "edges": edges, "environments": environments}
    (folder / "truth.json").write_text(json.dumps(truth))


# ---- recorded data -------------------------------------------------------------------------------


def plain_truth(truth, header):
    """A truth.json of bench real as whence simulate would write it."""
    edges = [(e["from"], e["to"]) if isinstance(e, dict) else tuple(e) for e in truth.get("edges", [])]
    given = truth.get("environments", {})
    if isinstance(given, list):
        given = {e["name"]: e for e in given}
    environments = [{"name": "baseline", "changed": {v: False for v in header}}]
    for name, e in given.items():
        targets = e.get("targets", [v for v, changed in e.get("changed", {}).items() if changed])
        stem = name.removesuffix(".csv")
        if stem != "baseline":
            environments.append({"name": stem, "changed": {v: v in targets for v in header}})
    environments[1:] = sorted(environments[1:], key=lambda e: e["name"])
    return {"variables": header, "edges": [{"from": a, "to": b} for a, b in edges], "environments": environments}


def write_recorded(source, folder, options, number):
    """A random part of the rows of each environment, and the truth beside them."""
    draw = random.Random(f"{options.seed + number}")
    header = None
    for path in environment_files(source):
        with open(path, newline="") as file:
            header, *rows = list(csv.reader(file))
        limit = options.baseline_rows if path.stem == "baseline" else options.rows
        if limit is not None and int(limit) < len(rows):
            rows = [rows[r] for r in sorted(draw.sample(range(len(rows)), int(limit)))]
        with open(folder / path.name, "w", newline="") as file:
            csv.writer(file).writerows([header, *rows])
    truth = json.loads((source / "truth.json").read_text())
    (folder / "truth.json").write_text(json.dumps(plain_truth(truth, header)))


# ---- the table -----------------------------------------------------------------------------------


def row(name, results, sets):
    """Medians (means); a cyclic answer has no SID, and the number of answers is given where some lack."""

    def both(values, digits):
        values = [v for v in values if v is not None]
        if not values:
            return "-"
        return f"{statistics.median(values):.{digits}f} ({statistics.mean(values):.{digits}f})"

    return [
        name,
        f"{len(results)} of {sets}",
        both([r["shd"]["total"] for r in results], 1),
        both([r["class"] for r in results], 1),
        both([r["sid"] for r in results], 1),
        both([r["seconds"] for r in results], 2),
    ]


def print_table(rows):
    header = ["method", "answered", "SHD median (mean)", "class", "SID", "processor s"]
    widths = [max(len(r[c]) for r in [header, *rows]) for c in range(len(header))]
    for line in [header, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


SUITE = [*(f"ps-mip:{p}:{e}" for p in (10, 20, 30) for e in (1, 2)), "er:100:175"]


def compare_all(options):
    """All laws of the suite, one table each, in one run."""
    sets = options.sets
    for law in SUITE:
        options.graph, options.sets = law, sets
        if not law.startswith("ps-mip"):
            options.sets = min(sets, 3)  # a minute each for some
            options.environments, options.rows, options.baseline_rows = "20", "200", "1000"
        print(f"{law}, {options.sets} data sets", flush=True)
        compare(options)
        print(flush=True)


class Kept:
    """Answers of earlier runs, one line of JSON each, so that a long run may be killed and started again."""

    def __init__(self, options):
        self.file = options.keep
        version = subprocess.run([options.whence, "--version"], check=True, capture_output=True).stdout.decode().strip()
        data = ("graph", "sachs", "real", "shift", "noise", "weights", "environments", "rows", "baseline_rows")
        self.law = {key: getattr(options, key) for key in data} | {"limit": options.time_limit, "version": version}
        lines = Path(self.file).read_text().splitlines() if self.file and Path(self.file).exists() else []
        self.answers = dict(json.loads(line) for line in lines)

    def key(self, seed, name):
        return json.dumps([name, seed, self.law])

    def add(self, key, answer):
        self.answers[key] = answer
        if self.file:
            with open(self.file, "a") as file:
                file.write(json.dumps([key, answer]) + "\n")


def answer_of(data, name, limit):
    """What is kept of an answer, or why there is none."""
    try:
        judged, seconds = data.ask(name)
        return {part: judged[part] for part in ("shd", "class", "sid")} | {"seconds": seconds}
    except subprocess.TimeoutExpired:
        return {"too slow": f"more than {limit:.0f} s of the processor, so it was not asked again"}
    except subprocess.CalledProcessError as error:
        said = (error.stderr or b"").decode().strip().splitlines()
        return {"failed": said[-1] if said else f"exit code {error.returncode}"}


def compare(options):
    methods = [*([] if options.rivals_only else ["whence"]), *filter(None, options.rivals.split(",")), "empty"]
    results = {name: [] for name in methods}
    failures, too_slow = {}, set()
    kept = Kept(options)
    for number in range(options.sets):
        with tempfile.TemporaryDirectory() as folder:
            data = None
            for name in methods:
                if name in too_slow:
                    continue
                key = kept.key(options.seed + number, name)
                if key not in kept.answers:
                    print(f"data set {number + 1} of {options.sets}: {name}", file=sys.stderr)
                    data = data or DataSet(options, number, Path(folder))
                    kept.add(key, answer_of(data, name, options.time_limit))
                answer = kept.answers[key]
                if "seconds" in answer:
                    results[name].append(answer)
                    continue
                failures[name] = answer.get("too slow") or answer["failed"]
                if "too slow" in answer:
                    too_slow.add(name)
    if options.json:
        print(json.dumps({"graph": options.graph, "sets": options.sets, "methods": results, "failures": failures}))
        return
    print_table([row(name, results[name], options.sets) for name in methods])
    for name, why in failures.items():
        print(f"{name} did not always answer: {why}")


def in_environment(folder):
    """Runs this script again with the packages of a virtual environment, which is made if need be."""
    python = Path(folder).absolute() / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", DATA_PACKAGE], check=True)
    if Path(sys.prefix).resolve() != Path(folder).resolve():
        os.execv(python, [str(python), *sys.argv])


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--one":
        return run_rival(sys.argv[2], Path(sys.argv[3]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--whence", default=str(ROOT / "whence"), help="the command")
    parser.add_argument("--venv", help="a virtual environment with the packages; made where it is not")
    parser.add_argument("--suite", action="store_true", help="several laws, one table each")
    parser.add_argument("--rivals", help="of: " + ", ".join(RIVALS))
    parser.add_argument("--rivals-only", action="store_true", help="without whence, where it is not one of --rivals")
    parser.add_argument("--sets", type=int, default=5, help="data sets")
    parser.add_argument("--sachs", action="store_true", help="flow cytometry, one data set")
    parser.add_argument("--real", help="a folder with baseline.csv, shifted_*.csv and truth.json")
    parser.add_argument("--seed", type=int, default=0, help="of the first data set")
    parser.add_argument("--time-limit", type=float, default=600, help="seconds of the processor for one answer")
    parser.add_argument("--keep", help="a file for answers: what is there is not asked again")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    for key in ("graph", "shift", "noise", "weights", "environments", "rows", "baseline-rows"):
        parser.add_argument("--" + key, help="as of whence simulate graph")
    options = parser.parse_args()
    if options.sachs:
        options.sets = 1
    if options.rivals is None:
        options.rivals = "whence-linear,ut-igsp,gies" if options.suite else ",".join(RIVALS)
    if options.venv:
        in_environment(options.venv)
    return compare_all(options) if options.suite else compare(options)


if __name__ == "__main__":
    main()
